// /oauth2/authorize (RFC 6749 4.1.1): a program sends a person here, and gets an authorization code if that person confirms.
import { accept, type Outcome } from '../../../core/outcome.ts';
import { isLoopback, withResponse } from '../../../core/redirect-uri.ts';
import type { RefusalReason } from '../../../core/refusal.ts';
import type { AskedCode } from '../../../core/rules/code.ts';
import { isForChanges } from '../../../core/rules/operator.ts';
import { isFresh } from '../../../core/rules/proof.ts';
import { WHOLE_SCOPE } from '../../../core/rules/scope.ts';
import {
  type CodeClient,
  type CodeTarget,
  confirmCode,
  denyCode,
  findClient,
  findTarget,
  whyNotConfirm,
} from '../../../operations/device/ask-code.ts';
import { queryTextOf } from '../../http/methods.ts';
import { recordOf, recordRefusal } from '../../http/request-record.ts';
import { describe } from '../../token/descriptions.ts';
import { readParameters } from '../../token/parameters.ts';
import { readScopeList } from '../../token/scope-list.ts';
import { askToSignIn } from '../account/sign-in.ts';
import { signInPage } from '../account/sign-in-page.ts';
import { askPage } from '../device/request-page.ts';
import type { Answer, Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, hiddenFields, personName } from '../parts/layout.ts';
import { refusalPage, wrongRequestPage } from '../parts/refusal-page.ts';
import { type Form, type PageRoute, show, take } from '../parts/route.ts';
import type { PersonVisit, Visit } from '../parts/visit.ts';

export function authorizeRoutes(path: string): readonly PageRoute[] {
  return [
    show(path, 'page-authorize', (visit) => showRequest(visit, queryTextOf(visit.request.url))),
    take(path, 'decide-authorize', ['request', 'decision', 'shown_at', 'shown'], takeDecision),
  ];
}

const PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>> & { readonly resource?: readonly string[] };

const SCHEMA = {
  properties: { ...Object.fromEntries(PARAMETERS.map((name) => [name, {}])), resource: { type: 'array' } },
};

function requestOf(parameters: Parameters): Outcome<AskedCode> {
  const { scope: list, resource } = parameters;
  const scope = list === undefined ? accept(undefined) : readScopeList(list);
  if (!scope.ok) return scope;
  return accept({
    responseType: parameters.response_type,
    responseMode: parameters.response_mode,
    challenge: parameters.code_challenge,
    challengeMethod: parameters.code_challenge_method,
    scope: scope.value ?? WHOLE_SCOPE,
    resource,
  });
}

/** A request that a signed-in person may decide on. */
interface Asked {
  readonly visit: PersonVisit;
  /** As the program sent it. It is carried in the address and the form: nothing is stored before the person decides. */
  readonly query: string;
  readonly client: CodeClient;
  readonly target: CodeTarget;
  readonly state: string | undefined;
}

async function showRequest(visit: Visit, query: string): Promise<Answer> {
  const asked = await readRequest(visit, query);
  if ('answer' in asked) return asked.answer;
  return (await signInAgain(asked)) ?? ask(asked);
}

/** To change things here, which needs more than an open session. */
async function signInAgain({ visit, query, client, target }: Asked): Promise<Answer | undefined> {
  const { person, site } = visit;
  if (!isForChanges(target.scope) || isFresh(person.proof, await site.ports.store.now())) return undefined;
  return signInPage(visit, { request: query, asks: clientName(client), userName: personName(visit) });
}

async function takeDecision(visit: Visit, { request = '', decision, shown_at: shownAt, shown }: Form): Promise<Answer> {
  const asked = await readRequest(visit, request);
  if ('answer' in asked) return asked.answer;
  const { site, person } = asked.visit;
  const { client, target } = asked;
  const { presenter } = site.readConnection(visit.request);
  if (decision !== 'confirm') {
    const denied = await denyCode(client, person, presenter, site.ports);
    if (!denied.ok) return refusalPage(visit, denied.refusal);
    return sendBack(visit, asked, { error: 'access_denied', error_description: describe({ reason: 'device-denied' }) });
  }
  // The program may have given up, and its port may belong to another one by now.
  const age = (await site.ports.store.now()) - Number(shownAt ?? 0);
  if (!(age <= site.ports.settings.deviceCodeLifetime)) return refusalPage(visit, { reason: 'request-too-old' });
  if (shown !== shownTarget(target)) return ask(asked, true);
  const again = await signInAgain(asked);
  if (again) return again;
  const code = await confirmCode(client, target, person, presenter, site.ports);
  return code.ok ? sendBack(visit, asked, { code: code.value.reveal() }) : refusalPage(visit, code.refusal);
}

/** Checks the request; asks to sign in first. Nobody is redirected before signing in (RFC 9700 4.11.2). */
async function readRequest(visit: Visit, query: string): Promise<Asked | { readonly answer: Answer }> {
  const { ports, readDocument } = visit.site;
  const { person } = visit;
  const read = readParameters<Parameters>(Buffer.from(query), 'form', SCHEMA);
  if (!read.ok) return { answer: refusalPage(visit, read.refusal) };
  const { client_id: clientId, redirect_uri: redirectUri, state } = read.value;
  if (clientId === undefined) return { answer: wrongRequestPage(visit, { reason: 'client-id-missing' }) };
  const client = await findClient(clientId, redirectUri, person, ports, readDocument);
  if (!client.ok) return { answer: refusalPage(visit, client.refusal) };
  if (!person || client.value === 'unknown')
    return { answer: await askToSignIn(visit, { request: query, asks: clientName(client.value, clientId) }) };
  recordOf(visit.request).clientId = client.value.integration.clientId;
  const request = requestOf(read.value);
  const target = request.ok ? await findTarget(request.value, client.value, ports) : request;
  if (target.ok) return { query, client: client.value, target: target.value, state, visit: { ...visit, person } };
  // Anybody can be a guest, so a redirect that nobody decided on could lead anywhere (RFC 9700 4.11.2).
  if (client.value.document) return { answer: wrongRequestPage(visit, target.refusal) };
  recordRefusal(visit.request, target.refusal);
  const { reason } = target.refusal;
  const error = ERRORS[reason] ?? 'invalid_request';
  const response = { error, error_description: describe(target.refusal, 'oauth') };
  return { answer: sendBack(visit, { client: client.value, state }, response) };
}

/** RFC 6749 4.1.2.1, RFC 8707 2. */
const ERRORS: Partial<Record<RefusalReason, string>> = {
  'response-type-unsupported': 'unsupported_response_type',
  'scope-missing': 'invalid_scope',
  'scope-malformed': 'invalid_scope',
  'scope-exceeds-integration': 'invalid_scope',
  'resource-unknown': 'invalid_target',
  'resource-outside-scope': 'invalid_target',
};

/** RFC 9207: every response names the issuer, so that no client takes it for one of another server. */
function sendBack(
  { site }: Visit,
  { client, state }: Pick<Asked, 'client' | 'state'>,
  response: Readonly<Record<string, string>>,
): Answer {
  return { leaveTo: withResponse(client.redirectUri, { ...response, state, iss: site.publicUrl }) };
}

/** `hasChanged`: the person tried to confirm something else. */
async function ask({ visit, query, client, target }: Asked, hasChanged = false): Promise<Shown> {
  const { request: words } = visit.language.texts;
  const now = await visit.site.ports.store.now();
  const shown = askPage(visit, {
    integration: { ...client.integration, name: clientName(client), ...(client.document && { vendor: '' }) },
    scope: target.scope.text,
    objection: whyNotConfirm(visit.person, client),
    essentials: html`${hasChanged && alertBox(words.changed)}${essentials(visit, client)}`,
    otherFacts: html`<dl class="facts"><div><dt>${words.actsAs}</dt><dd translate="no">${personName(visit)}</dd></div></dl>`,
    form: (decision) => ({
      action: `${visit.site.oauthMount ?? ''}/authorize`,
      fields: hiddenFields({ request: query, shown_at: now, shown: shownTarget(target), decision }),
    }),
  });
  return { ...shown, leadsToProgram: true };
}

/** What the person sees: nothing else is confirmed, whatever operators change meanwhile. */
function shownTarget({ scope, resource = [] }: CodeTarget): string {
  return [scope.text, ...resource].join(' ');
}

/** A guest is named by the host of its document, which is all that was checked. */
function clientName(client: CodeClient | 'unknown', clientId = ''): string {
  if (client === 'unknown') return new URL(clientId).host;
  return client.document ? new URL(client.document.url).host : client.integration.name;
}

/** Who asks, and who gets the answer: what a person can check. */
function essentials(visit: Visit, { document, redirectUri }: CodeClient): Html {
  const { request: words } = visit.language.texts;
  const isHere = isLoopback(redirectUri);
  const { host, protocol } = new URL(redirectUri);
  const isScheme = !protocol.startsWith('http');
  const goesTo = isScheme ? protocol : host;
  const big = document ? html` class="host"` : undefined;
  return html`<dl class="facts">
${document && html`<div><dt>${words.client}</dt><dd${big} translate="no">${new URL(document.url).host}</dd></div>`}
${document?.name && html`<div><dt>${words.callsItself}</dt><dd translate="no">${document.name}</dd></div>`}
<div><dt>${words.returnsTo}</dt><dd${big}>${isHere && `${words.thisComputer} `}<span translate="no">${goesTo}</span></dd></div>
</dl>
${document && isHere && html`<aside class="warning"><p>${words.anyProgram}</p></aside>`}
${document && isScheme && html`<aside class="warning"><p>${words.anyScheme(protocol)}</p></aside>`}`;
}
