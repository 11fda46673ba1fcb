// The confirmation page for a program that waits for an authorization code. It asks as the page for devices does.
import { isLoopback } from '../../../core/redirect-uri.ts';
import type { PersonReason, Refusal } from '../../../core/refusal.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import type { CodeClient, CodeTarget } from '../../../operations/device/ask-code.ts';
import { askPage } from '../device/request-page.ts';
import type { Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { personName } from '../parts/layout.ts';
import type { Visit } from '../parts/visit.ts';

export interface AskedCode {
  /** The request as it was sent. */
  readonly query: string;
  readonly client: CodeClient;
  readonly target: CodeTarget;
  /** Set if this person may not confirm. */
  readonly objection: Refusal<PersonReason> | undefined;
  readonly now: EpochSeconds;
}

export function authorizePage(visit: Visit, asked: AskedCode): Shown {
  const { query, client, target, objection, now } = asked;
  const { integration } = client;
  const name = clientName(client);
  const fields = (
    decision: 'confirm' | 'deny',
    button: Html,
  ) => html`<input type="hidden" name="request" value="${query}">
<input type="hidden" name="shown_at" value="${now}">
<input type="hidden" name="decision" value="${decision}">
${button}`;
  const action = authorizePathOf(visit);
  const shown = askPage(visit, {
    integration: { ...integration, name, ...(client.document && { vendor: '' }) },
    scope: target.scope.text,
    objection,
    essentials: essentials(visit, client),
    otherFacts: html`<dl class="facts"><div><dt>${visit.language.texts.request.actsAs}</dt><dd translate="no">${personName(visit)}</dd></div></dl>`,
    confirm: { action, fields: (button) => fields('confirm', button) },
    deny: { action, fields: (button) => fields('deny', button) },
  });
  return { ...shown, leadsTo: formTarget(client.redirectUri) };
}

function authorizePathOf({ site }: Visit): string {
  return `${site.oauthMount ?? ''}/authorize`;
}

/** A guest is named by the host of its document, which is all that was checked. */
export function clientName(client: CodeClient | 'unknown', clientId = ''): string {
  if (client === 'unknown') return new URL(clientId).host;
  return client.document ? new URL(client.document.url).host : client.integration.name;
}

/** Who asks, and who gets the answer: what a person can check. */
function essentials(visit: Visit, { document, redirectUri }: CodeClient): Html {
  const { request: words } = visit.language.texts;
  const isHere = isLoopback(redirectUri);
  const { host, protocol } = new URL(redirectUri);
  const goesTo = host === '' || !protocol.startsWith('http') ? protocol : host;
  const big = document ? html` class="host"` : undefined;
  return html`<dl class="facts">
${document && html`<div><dt>${words.client}</dt><dd${big} translate="no">${new URL(document.url).host}</dd></div>`}
${document?.name && html`<div><dt>${words.callsItself}</dt><dd translate="no">${document.name}</dd></div>`}
<div><dt>${words.returnsTo}</dt><dd${big}>${isHere && `${words.thisComputer} `}<span translate="no">${goesTo}</span></dd></div>
</dl>
${document?.redirectUris.every(isLoopback) && html`<aside class="warning"><p>${words.anyProgram}</p></aside>`}`;
}

/** What CSP must allow for the redirect that follows the form. CSP has no syntax for IPv6 addresses. */
function formTarget(redirectUri: string): string {
  const { protocol, origin, host } = new URL(redirectUri);
  return host === '' || host.startsWith('[') || !protocol.startsWith('http') ? protocol : origin;
}
