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
  const path = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .toLowerCase();
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Whether a path matches a route with parameters, as in /things/:id. */
function isCoveredBy(path: string, pattern: string): boolean {
  if (!pattern.includes(':')) return false;
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  return given.length === wanted.length && wanted.every((part, at) => part === given[at] || part.startsWith(':'));
}
