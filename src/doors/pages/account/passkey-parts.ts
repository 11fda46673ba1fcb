// What pages with a passkey button share: the button, what the browser is asked, and how its answer is read.
import { isIP } from 'node:net';
import { CHALLENGE_LIFETIME } from '../../../core/rules/passkey.ts';
import { after } from '../../../core/time.ts';
import type { PasskeyAnswer } from '../../../operations/person/check-passkey.ts';
import { challengeEnd, drawChallenge } from '../parts/form-token.ts';
import { type Html, html } from '../parts/html.ts';
import { isSecure, type Site, type Visit } from '../parts/visit.ts';

export type RelyingParty = PasskeyAnswer['party'];

/** Undefined where browsers allow no passkeys: at an IP address, or without TLS. */
export function relyingParty(site: Site): RelyingParty | undefined {
  const { hostname: id, origin } = new URL(site.publicUrl);
  const isAddress = isIP(id) !== 0 || id.startsWith('[');
  return !isAddress && (isSecure(site) || id === 'localhost') ? { id, origin } : undefined;
}

export interface PasskeyButton {
  readonly label: string;
  readonly ceremony: 'create' | 'get';
  /** Where its script gets the options. */
  readonly options: string;
  /** What is said if it fails; `known`: because this device has a passkey of the account. */
  readonly failed: string;
  readonly known?: string;
}

/** Hidden until its script runs. It stands in a form, which it sends. */
export function passkeyButton({ label, ceremony, options, failed, known = failed }: PasskeyButton): Html {
  return html`<input type="hidden" name="credential" value="">
<div class="passkey" data-passkey="${options}" data-ceremony="${ceremony}" hidden>
<button class="button${ceremony === 'get' && ' quiet'}" type="button">${label}</button>
<p class="alert" role="alert" data-failed="${failed}" data-known="${known}" hidden></p>
</div>`;
}

const NONCE_LENGTH = 16;

/** The members that both ceremonies have (WebAuthn 5.4 and 5.5). */
export function drawOptions({ site, formOwner }: Visit) {
  const { random, clock, keyring } = site.ports;
  const challenge = drawChallenge(random(NONCE_LENGTH), after(clock.now(), CHALLENGE_LIFETIME), formOwner, keyring);
  return { challenge, timeout: CHALLENGE_LIFETIME * 1000 };
}

export function answerOf({ site, formOwner }: Visit, credential: string, party: RelyingParty): PasskeyAnswer {
  return { credential, party, challengeEnd: (challenge) => challengeEnd(challenge, formOwner, site.ports.keyring) };
}
