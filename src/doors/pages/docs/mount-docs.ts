// /docs: the documentation of the running release. The same for everybody and without a lookup in the store, so browsers may
// keep it, and it can be read while the store is away.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { storyOf } from '../../server/story.ts';
import { pageHeaders, sendAnswer } from '../parts/answer.ts';
import { ASSET_HEADERS, DOCS_CACHING } from '../parts/headers.ts';
import { layout, type Page } from '../parts/layout.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { queryOf, type Site, strangerVisit, type Visit } from '../parts/visit.ts';
import { contentsPage, docsPage, searchPage } from './docs-page.ts';
import { bytesOf, openLibrary } from './library.ts';
import { searcherOf } from './search.ts';

export function mountDocs(app: FastifyInstance, site: Site): void {
  const library = openLibrary();
  const search = searcherOf(library);
  mountPage(app, site, '/docs', (visit) => contentsPage(visit, library));
  mountPage(app, site, '/docs/search', (visit) => {
    const query = queryOf(visit, 'q') ?? '';
    return searchPage(visit, library, query, search(query));
  });
  for (const page of library.pages) mountPage(app, site, page.path, (visit) => docsPage(visit, library, page));
  for (const file of library.files) {
    const headers = { ...ASSET_HEADERS, ...DOCS_CACHING, 'content-type': file.type };
    mount(app, site, file.path, (request, reply) => sendUnlessKnown(request, reply.headers(headers), bytesOf(file)));
  }
}

function mountPage(app: FastifyInstance, site: Site, path: string, pageFor: (visit: Visit) => Page): void {
  mount(app, site, path, (request, reply) => {
    const visit = strangerVisit(request, site);
    const headers = { ...pageHeaders(site), ...DOCS_CACHING, vary: 'accept-language' };
    reply.headers(headers).header('content-language', visit.language.tag).type('text/html; charset=utf-8');
    return sendUnlessKnown(request, reply, Buffer.from(layout(visit, pageFor(visit)).toString()));
  });
}

type Reply = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function mount(app: FastifyInstance, site: Site, path: string, answer: Reply): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    handler: async (request, reply) => {
      storyOf(request).operation = 'page-docs';
      const limited = site.overLimit(request);
      if (!limited) return answer(request, reply);
      const visit = strangerVisit(request, site);
      return sendAnswer(visit, reply, refusalPage(visit, limited));
    },
  });
}

/** RFC 9110 13.1.2: 304 to whoever has this very content. */
function sendUnlessKnown(request: FastifyRequest, reply: FastifyReply, content: Buffer): FastifyReply {
  const tag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
  reply.header('etag', tag);
  const known = request.headers['if-none-match'] ?? '';
  const isKnown = known.split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
  return isKnown ? reply.code(304).send() : reply.send(content);
}
