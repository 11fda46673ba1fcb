import type { FastifyReply } from 'fastify';
import { REQUEST_ID } from '../../http/refusal-replies.ts';
import { contentPolicy, PAGE_HEADERS, strictTransport } from './headers.ts';
import { layout, type Page } from './layout.ts';
import { isSecure, type Site, type Visit } from './visit.ts';

/**
 * What a page's handler returns: a page, or a redirect. `goTo` is always one of our paths, never taken from a request; `leaveTo` a
 * redirect URI that is registered for the client, or a page of a configured provider.
 */
export type Answer = (
  | Shown
  | { readonly goTo: string }
  | { readonly leaveTo: string }
  /** For the script of a page. */
  | { readonly json: object }
  /** To be saved by the browser. */
  | { readonly file: string; readonly type: string; readonly text: string }
) & {
  readonly cookies?: readonly string[];
};

export interface Shown {
  readonly page: Page;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  /** Whether its forms may end in a redirect to a program. */
  readonly leadsToProgram?: boolean;
}

export function sendAnswer(visit: Visit, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.headers(pageHeaders(visit.site));
  const cookies = [...visit.cookies, ...(answer.cookies ?? [])];
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  if ('json' in answer) return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.json));
  if ('file' in answer) {
    reply.header('content-disposition', `attachment; filename="${answer.file}"`);
    return reply.type(`${answer.type}; charset=utf-8`).send(answer.text);
  }
  // 303: whatever the method was, the next request is a GET, so that reloading repeats nothing.
  if (!('page' in answer)) {
    const location = 'goTo' in answer ? answer.goTo : answer.leaveTo;
    return reply.code(303).header('location', location).send();
  }
  const { leadsToProgram, page } = answer;
  reply.header('content-security-policy', contentPolicy({ leadsToProgram, hasScript: page.hasScript }));
  if (answer.status !== undefined && answer.status >= 400) reply.header(REQUEST_ID, visit.request.id);
  if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
  return reply
    .code(answer.status ?? 200)
    .header('content-language', visit.language.tag)
    .type('text/html; charset=utf-8')
    .send(layout(visit, page).toString());
}

function pageHeaders(site: Site): Readonly<Record<string, string>> {
  // Strict transport on `localhost` would bind every other service of a developer's machine, on every port.
  const isStrict = isSecure(site) && new URL(site.publicUrl).hostname !== 'localhost';
  return isStrict ? { ...PAGE_HEADERS, ...strictTransport(site.look.strictTransport) } : PAGE_HEADERS;
}
