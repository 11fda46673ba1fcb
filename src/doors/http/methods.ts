import type { FastifyInstance, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The server's router ignores letter case and a trailing slash; with this, the path must be written as the route is. */
    isExact?: boolean;
  }
}

/** Which methods a path takes, for the Allow header of a 405. Knows the routes added from now on. */
export function methodTable(app: FastifyInstance): (url: string) => string | undefined {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  return (url) => {
    const [exact, path] = [targetOf(url), pathOf(url)];
    const isAt = (route: RouteOptions) =>
      route.config?.isExact ? route.url === exact : route.url.toLowerCase() === path;
    const named = routes.filter(isAt);
    const covering = routes.find((route) => isCoveredBy(path, route.url.toLowerCase()))?.url;
    const known = named.length > 0 ? named : routes.filter((route) => route.url === covering);
    return known.length > 0 ? [...new Set(known.flatMap(({ method }) => method))].join(', ') : undefined;
  };
}

/** The path of a request target in lower case, without host, query and one trailing slash. */
export function pathOf(url: string): string {
  const path = targetOf(url).toLowerCase();
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The path of a request target as it was sent, without host and query. */
export function targetOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

/** What follows the question mark. */
export function queryTextOf(url: string): string {
  return url.split(/\?(.*)/s)[1] ?? '';
}

/** Whether a path matches a route with parameters, as in /things/:id, or one for all paths below it, as in /things/*. */
function isCoveredBy(path: string, pattern: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  if (!pattern.includes(':')) return false;
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  return given.length === wanted.length && wanted.every((part, at) => part === given[at] || part.startsWith(':'));
}
