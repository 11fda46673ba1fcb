// /docs: the documentation of the running release. The same for everybody and without a lookup in the store, so browsers may
// keep it, and it can be read while the store is away.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from '../../http/methods.ts';
import { storyOf } from '../../http/story.ts';
import { pageHeaders, sendAnswer } from '../parts/answer.ts';
import { ASSET_HEADERS, DOCS_CACHING } from '../parts/headers.ts';
import { layout, type Page } from '../parts/layout.ts';
import type { PageRefusal } from '../parts/refusal.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { queryOf, type Site, strangerVisit, type Visit } from '../parts/visit.ts';
import { contentsPage, docsPage, searchPage } from './docs-page.ts';
import { bytesOf, type DocsFile, openLibrary } from './library.ts';
import { searcherOf } from './search.ts';

type Reply = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** One route for all pages, because each costs a start time and memory. `refuse`: for paths without a page. */
export function mountDocs(app: FastifyInstance, site: Site, refuse: Reply): void {
  let shelf: ReadonlyMap<string, Reply> | undefined;
  const handler: Reply = (request, reply) => {
    storyOf(request).operation = 'page-docs';
    const limited = site.overLimit(request);
    if (limited) return refuseLimited(request, reply, site, limited);
    shelf ??= fillShelf(site);
    return (shelf.get(pathOf(request.url)) ?? refuse)(request, reply);
  };
  for (const url of ['/docs', '/docs/*']) {
    app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => handler(request, reply) });
  }
}

function refuseLimited(request: FastifyRequest, reply: FastifyReply, site: Site, refusal: PageRefusal): FastifyReply {
  const visit = strangerVisit(request, site);
  return sendAnswer(visit, reply, refusalPage(visit, refusal));
}

/** By path, in lower case. */
function fillShelf(site: Site): ReadonlyMap<string, Reply> {
  const library = openLibrary();
  const search = searcherOf(library);
  const found = (visit: Visit) => {
    const query = queryOf(visit, 'q') ?? '';
    return searchPage(visit, library, query, search(query));
  };
  return new Map<string, Reply>([
    ['/docs', replyPage(site, (visit) => contentsPage(visit, library))],
    ['/docs/search', replyPage(site, found)],
    ...library.pages.map(
      (page) => [page.path.toLowerCase(), replyPage(site, (visit) => docsPage(visit, library, page))] as const,
    ),
    ...library.files.map((file) => [file.path.toLowerCase(), replyFile(file)] as const),
  ]);
}

function replyPage(site: Site, pageFor: (visit: Visit) => Page): Reply {
  return (request, reply) => {
    const visit = strangerVisit(request, site);
    const headers = { ...pageHeaders(site), ...DOCS_CACHING, vary: 'accept-language' };
    reply.headers(headers).header('content-language', visit.language.tag).type('text/html; charset=utf-8');
    return sendUnlessKnown(request, reply, Buffer.from(layout(visit, pageFor(visit)).toString()));
  };
}

function replyFile(file: DocsFile): Reply {
  const headers = { ...ASSET_HEADERS, ...DOCS_CACHING, 'content-type': file.type };
  return (request, reply) => sendUnlessKnown(request, reply.headers(headers), bytesOf(file));
}

/** RFC 9110 13.1.2: 304 if the browser has this content. */
function sendUnlessKnown(request: FastifyRequest, reply: FastifyReply, content: Buffer): FastifyReply {
  const tag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
  reply.header('etag', tag);
  const known = request.headers['if-none-match'] ?? '';
  const isKnown = known.split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
  return isKnown ? reply.code(304).send() : reply.send(content);
}
