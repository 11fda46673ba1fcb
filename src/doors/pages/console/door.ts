// The console: what is going on, and how to stop it, for operators, viewers and owners of integrations.
import type { Door, DoorEntry } from '../../door.ts';
import { mountRoute, type PagesParts, pageRefusals, siteOf } from '../door.ts';
import type { ConsoleParts } from './access.ts';
import { eventRoutes } from './events.ts';
import { explainRoutes } from './explain.ts';
import { grantRoutes } from './grants.ts';
import { objectRoutes } from './objects.ts';
import { overviewRoutes } from './overview.ts';

/** The listener serves the pages too: people sign in there, and style sheets come from there. */
export function consoleDoor({ name, segments }: DoorEntry, parts: PagesParts & ConsoleParts): Door {
  const site = siteOf(parts);
  const paths = new RegExp(`^/(?:${segments.join('|')})(?:[/?]|$)`, 'i');
  const routes = [overviewRoutes, grantRoutes, objectRoutes, explainRoutes, eventRoutes].flatMap((make) => make(parts));
  return {
    name,
    isNamedOnly: true,
    owns: (url) => paths.test(url),
    mount: (app) => {
      for (const route of routes) mountRoute(app, route, site);
    },
    refusals: pageRefusals(site),
    openapi: {},
  };
}
