// The console: what is going on, and how to stop it, for operators, viewers and owners of integrations.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Door, DoorEntry } from '../../door.ts';
import { mountRoute, type PagesParts, pageRefusals, siteOf } from '../door.ts';
import { sendAnswer } from '../parts/answer.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { type Site, visitOf } from '../parts/visit.ts';
import { type ConsoleParts, SIGN_IN, signInRoutes } from './access.ts';
import { eventRoutes } from './events.ts';
import { explainRoutes } from './explain.ts';
import { grantRoutes } from './grants.ts';
import { objectRoutes } from './objects.ts';
import { overviewRoutes } from './overview.ts';

/** The listener serves the pages too: people sign in there, and style sheets come from there. */
export function consoleDoor(
  { name, segments }: DoorEntry,
  parts: PagesParts & Omit<ConsoleParts, 'readPresented'>,
): Door {
  const site = siteOf(parts);
  const paths = new RegExp(`^/(?:${segments.join('|')})(?:[/?]|$)`, 'i');
  return {
    name,
    isNamedOnly: true,
    owns: (url) => paths.test(url),
    mount: (app, { readPresented }) => {
      app.addHook('onRequest', async (request, reply) => refuseOthers(request, reply, site));
      const routes = [overviewRoutes, grantRoutes, objectRoutes, explainRoutes, eventRoutes, signInRoutes];
      for (const route of routes.flatMap((make) => make({ ...parts, readPresented }))) mountRoute(app, route, site);
    },
    refusals: pageRefusals(site),
    openapi: {},
    bodyBytes: (request) => (request.url === SIGN_IN ? undefined : BODY_BYTES),
  };
}

/** An issuer with its lists of authorities, twice: as it was shown, and as it was entered. */
const BODY_BYTES = 256 * 1024;

/** Forms are long, so they are read only from somebody who is signed in. */
async function refuseOthers(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
): Promise<FastifyReply | undefined> {
  if (request.method === 'GET' || request.url === SIGN_IN) return undefined;
  const visit = await visitOf(request, site);
  if (visit.person) return undefined;
  return sendAnswer(visit, reply, refusalPage(visit, site.overLimit(request) ?? { reason: 'form-stale' }));
}
