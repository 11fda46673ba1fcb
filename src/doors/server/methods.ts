import type { FastifyInstance } from 'fastify';

/** Which methods a path takes, for the Allow header of a 405. Knows the routes added from now on. */
export function methodTable(app: FastifyInstance): (url: string) => string | undefined {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url.toLowerCase()) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url.toLowerCase(), known);
  });
  return (url) => {
    const path = pathOf(url);
    const exact = methods.get(path);
    const known = exact ?? [...methods].find(([pattern]) => isCoveredBy(path, pattern))?.[1];
    return known && [...known].join(', ');
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

/** Whether a path matches a route with parameters, as in /things/:id, or one for all paths below it, as in /things/*. */
function isCoveredBy(path: string, pattern: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  if (!pattern.includes(':')) return false;
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  return given.length === wanted.length && wanted.every((part, at) => part === given[at] || part.startsWith(':'));
}
