// The pages door: what people see in a browser. Every form is checked here before its page handles it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Outcome, refuse } from '../../core/outcome.ts';
import type { Door, DoorEntry } from '../door.ts';
import { pathOf } from '../http/methods.ts';
import { NEUTRAL_REPLIES } from '../http/refusal-replies.ts';
import { recordOf } from '../http/request-record.ts';
import type { ServerRefusal } from '../http/transport-refusal.ts';
import { wantedForm } from '../http/wanted-form.ts';
import { withNamedSchemas, withPlainLinks } from '../openapi-document.ts';
import { formOf, readParameters } from '../token/parameters.ts';
import { ACCOUNT_ROUTES } from './account/account-page.ts';
import { PASSKEY_ROUTES } from './account/passkeys-page.ts';
import { PASSWORD_ROUTES } from './account/password-page.ts';
import { SIGN_IN_ROUTES } from './account/sign-in.ts';
import { authorizeRoutes } from './authorize/authorize-page.ts';
import { DEVICE_ROUTES } from './device/routes.ts';
import { DOCS_ROUTES } from './docs/docs-pages.ts';
import { HOME_ROUTES } from './home/home-page.ts';
import { sendAnswer } from './parts/answer.ts';
import { makeAssets, mountAssets } from './parts/assets.ts';
import { isFormToken } from './parts/form-token.ts';
import { NO_SNIFFING } from './parts/headers.ts';
import { refusalPage } from './parts/refusal-page.ts';
import type { Form, PageRoute } from './parts/route.ts';
import { type Site, strangerVisit, type Visit, visitOf } from './parts/visit.ts';
import type { PageRefusal } from './parts/wording.ts';

export interface PagesParts extends Omit<Site, 'assets'> {}

export function siteOf(parts: PagesParts): Site {
  return { ...parts, assets: makeAssets(parts.look) };
}

export function pageRefusals(site: Site): Door['refusals'] {
  return { reply: (reply, refusal) => replyRefusal(reply, refusal, site) };
}

export function pagesDoor({ name, segments }: DoorEntry, parts: PagesParts): Door {
  const site = siteOf(parts);
  const paths = new RegExp(`^/(?:${segments.join('|')})(?:[/?]|$)`, 'i');
  const authorize = parts.oauthMount === undefined ? undefined : `${parts.oauthMount}/authorize`;
  return {
    name,
    owns: (url) => paths.test(url) || pathOf(url) === authorize?.toLowerCase(),
    mount: (app) => mountPages(app, site, authorize),
    refusals: pageRefusals(site),
    openapi: {},
    isForPeople: true,
  };
}

function replyRefusal(reply: FastifyReply, refusal: ServerRefusal, site: Site): FastifyReply {
  if (wantedForm(reply.request.headers) === 'json') return NEUTRAL_REPLIES.reply(reply, refusal);
  const visit = strangerVisit(reply.request, site);
  return sendAnswer(visit, reply, refusalPage(visit, refusal));
}

function mountPages(app: FastifyInstance, site: Site, authorize: string | undefined): void {
  mountAssets(app, site.assets);
  const account = [...ACCOUNT_ROUTES, ...SIGN_IN_ROUTES, ...PASSWORD_ROUTES, ...PASSKEY_ROUTES];
  const routes = [...HOME_ROUTES, ...DEVICE_ROUTES, ...account, ...DOCS_ROUTES];
  if (authorize !== undefined) routes.push(...authorizeRoutes(authorize));
  for (const route of routes) mountRoute(app, route, site);
  mountOpenapi(app, site);
}

/** Its two texts are made once: anybody may ask for them. */
function mountOpenapi(app: FastifyInstance, site: Site): void {
  const texts = new Map<boolean, string>();
  app.get('/docs/openapi.json', async (request, reply) => {
    const limited = site.overLimit(request);
    if (limited) return replyRefusal(reply, limited, site);
    const isFull = (request.query as { links?: string }).links === 'full';
    const text = texts.get(isFull) ?? openapiText(site, isFull);
    texts.set(isFull, text);
    return reply.headers(NO_SNIFFING).type('application/json; charset=utf-8').send(text);
  });
}

function openapiText(site: Site, isFull: boolean): string {
  const document = withNamedSchemas(site.openapi());
  return JSON.stringify(isFull ? document : withPlainLinks(document));
}

export function mountRoute(app: FastifyInstance, route: PageRoute, site: Site): void {
  app.route({
    method: route.isForAll ? ['GET', 'HEAD'] : route.method,
    url: route.path,
    handler: async (request, reply): Promise<FastifyReply> => {
      // For callers that do not accept HTML, there is nothing at `/`.
      if (route.path === '/' && wantedForm(request.headers) !== 'page')
        return NEUTRAL_REPLIES.reply(reply, site.overLimit(request) ?? { reason: 'not-found' });
      recordOf(request).operation = route.operation;
      const visit = route.isForAll ? strangerVisit(request, site) : await visitOf(request, site);
      if (visit.person) recordOf(request).identityId = visit.person.identity.id;
      const limited = site.overLimit(request);
      if (limited) return sendAnswer(visit, reply, refusalPage(visit, limited));
      const form = route.method === 'POST' ? readForm(visit, route.fields) : { ok: true as const, value: {} };
      if (!form.ok) return sendAnswer(visit, reply, refusalPage(visit, form.refusal));
      return sendAnswer(visit, reply, await route.handle(visit, form.value));
    },
  });
}

/** What the browser says about the page with the form. Older ones say less; `null` is what our pages' referrer policy makes of it. */
function isFromOurPage({ headers }: FastifyRequest, { publicUrl }: Site): boolean {
  const { 'sec-fetch-site': from, origin } = headers;
  if (from !== undefined) return from === 'same-origin';
  if (origin === undefined || origin === 'null' || origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === (headers[':authority'] ?? headers.host);
}

/** The fields of a form that one of our pages, shown to this browser session, sent. */
function readForm({ request, formOwner, site }: Visit, fields: readonly string[]): Outcome<Form, PageRefusal> {
  if (!isFromOurPage(request, site)) return refuse('form-stale');
  const taken = formOf(request.headers['content-type'], ['form']);
  if (!taken.ok) return taken;
  const names = Object.fromEntries([...fields, 'form_token'].map((name) => [name, {}]));
  const form = readParameters<Form>(request.body, 'form', { properties: names });
  if (!form.ok) return form;
  const isOurs = isFormToken(form.value['form_token'] ?? '', formOwner, site.ports.keyring);
  return isOurs ? form : refuse('form-stale');
}
