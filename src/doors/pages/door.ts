// The pages door: what people with a browser meet. Every form is checked here, before the page it belongs to sees it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../core/outcome.ts';
import { refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { storyOf } from '../server/story.ts';
import { bodyForm, readParameters } from '../token/parameters.ts';
import { ACCOUNT_ROUTES } from './account/routes.ts';
import { DEVICE_ROUTES } from './device/routes.ts';
import { DOCS_ROUTES } from './docs/reference-page.ts';
import { sendAnswer } from './parts/answer.ts';
import { hangAssets, makeAssets } from './parts/assets.ts';
import { isFormToken } from './parts/form-token.ts';
import { NO_SNIFFING } from './parts/headers.ts';
import { refusalPage } from './parts/refusal-page.ts';
import type { Form, PageRoute } from './parts/route.ts';
import { type Site, strangerVisit, type Visit, visitOf } from './parts/visit.ts';

export type PagesDoor = Omit<Site, 'assets'>;

export interface Pages {
  hang(app: FastifyInstance): void;
  /** Whether an address is one of ours, so that even its faults are pages. */
  owns(url: string): boolean;
  refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply;
}

const ROUTES: readonly PageRoute[] = [...DEVICE_ROUTES, ...ACCOUNT_ROUTES, ...DOCS_ROUTES];
const OURS = /^\/(?:device|account|docs)(?:[/?]|$)/i;

export function makePages(door: PagesDoor): Pages {
  const site: Site = { ...door, assets: makeAssets(door.look) };
  return {
    hang: (app) => {
      hangAssets(app, site.assets);
      for (const route of ROUTES) hangRoute(app, route, site);
      app.get('/docs/openapi.json', async (_request, reply) => reply.headers(NO_SNIFFING).send(site.openapi));
    },
    owns: (url) => OURS.test(url),
    refuse: (request, reply, refusal) => {
      const visit = strangerVisit(request, site);
      return sendAnswer(visit, reply, refusalPage(visit, refusal));
    },
  };
}

function hangRoute(app: FastifyInstance, route: PageRoute, site: Site): void {
  app.route({
    method: route.method,
    url: route.path,
    handler: async (request, reply): Promise<FastifyReply> => {
      storyOf(request).operation = route.operation;
      const visit = await visitOf(request, site);
      if (visit.person) storyOf(request).identityId = visit.person.identity.id;
      const limited = site.overLimit(request);
      if (limited) return sendAnswer(visit, reply, refusalPage(visit, limited));
      const form = route.method === 'POST' ? readForm(visit, route.fields) : { ok: true as const, value: {} };
      if (!form.ok) return sendAnswer(visit, reply, refusalPage(visit, form.refusal));
      return sendAnswer(visit, reply, await route.handle(visit, form.value));
    },
  });
}

/** The fields of a form that this browser session got from us, and that this site's page sent. */
function readForm({ request, formOwner, site }: Visit, fields: readonly string[]): Outcome<Form> {
  const from = request.headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin') return refuse('form-stale');
  if (bodyForm(request.headers['content-type']) !== 'form') return refuse('content-type-unsupported');
  const names = Object.fromEntries([...fields, 'form_token'].map((name) => [name, {}]));
  const form = readParameters<Form>(request.body, 'form', { properties: names });
  if (!form.ok) return form;
  const isOurs = isFormToken(form.value['form_token'] ?? '', formOwner, site.ports.keyring);
  return isOurs ? form : refuse('form-stale');
}
