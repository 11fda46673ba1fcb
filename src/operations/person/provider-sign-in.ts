// Sign-in at an OpenID provider. Nothing is stored until it succeeds: the cookie has what was begun, and `state` authenticates it for any node.
import type { Hex } from '../../core/hex.ts';
import { accept, type PersonOutcome, refuse } from '../../core/outcome.ts';
import { networkOf, type Presenter } from '../../core/presenter.ts';
import { PROVIDER_LIFETIME, type ProviderAttempt, returnLimit, whyNotReturn } from '../../core/rules/sign-in.ts';
import { after } from '../../core/time.ts';
import type { ProviderRequest } from '../../directory/directory.ts';
import { assertions } from '../../store/tables/attempts.ts';
import type { Key } from '../../tokens/keyring.ts';
import { isSameHash } from '../../tokens/mac.ts';
import { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { countAttempt } from '../attempts.ts';
import { storeSeen } from '../grant/seen-identity.ts';
import type { Ports } from '../ports.ts';
import { type BegunSession, beginSession } from './browser-session.ts';

const NONCE_LENGTH = 16;
/** Browsers ignore longer cookies. */
const COOKIE_MAX_LENGTH = 3_800;

/** Where the browser goes, and the cookie that it keeps meanwhile. */
export async function beginProviderSignIn(
  { redirectUri, ...attempt }: Omit<ProviderAttempt, 'begunAt'> & { readonly redirectUri: string },
  ports: Ports,
): Promise<PersonOutcome<{ readonly url: string; readonly cookie: Secret }>> {
  const begunAt = await ports.store.now();
  const nonce = ports.random(NONCE_LENGTH).toString('hex');
  const cookie = Buffer.from(JSON.stringify({ nonce, ...attempt, begunAt })).toString('base64url');
  if (cookie.length > COOKIE_MAX_LENGTH) return refuse('provider-sign-in-refused', { rule: 'request-too-long' });
  const asked = requestOf(cookie, { ...attempt, begunAt }, redirectUri, ports.keyring.minting);
  return accept({ url: await providerOf(attempt.label, ports).begin(asked), cookie: new Secret(cookie) });
}

export interface ReturnRequest {
  /** The directory at whose address the browser returns. */
  readonly label: string;
  readonly redirectUri: string;
  readonly response: URLSearchParams;
  readonly cookie: string;
  readonly presenter: Presenter;
}

/** A person returns from the provider, in the browser that was sent there; a session begins. */
export async function finishProviderSignIn(
  { label, redirectUri, response, cookie, presenter }: ReturnRequest,
  ports: Ports,
): Promise<PersonOutcome<BegunSession & { readonly attempt: ProviderAttempt }>> {
  const { store, keyring, settings } = ports;
  const state = response.get('state') ?? '';
  const key = keyring.keys.find((candidate) => isSameHash(state as Hex, derive(candidate, 'state', cookie)));
  if (!key) return refuse('provider-sign-in-refused', { rule: 'state' });
  const attempt = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as ProviderAttempt;
  const objection = whyNotReturn(attempt, label, await store.now());
  if (objection) return refuse('provider-sign-in-refused', { rule: objection });
  const counted = await countAttempt(returnLimit(networkOf(presenter.address), settings), ports);
  if (!counted.ok) return refuse('sign-in-attempts-exhausted', { retryAfter: counted.refusal.retryAfter });
  const asked = requestOf(cookie, attempt, redirectUri, key);
  const finished = await providerOf(label, ports)
    .finish(response, asked)
    .catch(async (fault: unknown) => {
      await counted.value.forgive();
      throw fault;
    });
  if (!finished.ok) return refuse('provider-sign-in-refused', { rule: finished.refusal });
  await counted.value.forgive();
  if (!(await isFirstUse(state, attempt, ports))) return refuse('provider-sign-in-refused', { rule: 'used' });
  const identity = await storeSeen(finished.value.identity, ports);
  if (!identity.enabled) return refuse('identity-disabled');
  const { isStrong, provenAt } = finished.value;
  const by = isStrong ? 'strong-provider' : 'provider';
  return accept({ ...(await beginSession(identity, ports, by, provenAt)), attempt });
}

function providerOf(label: string, { directories }: Ports) {
  const { provider } = directories.get(label);
  if (!provider) throw new Error(`nobody signs in at a provider of ${label}`);
  return provider;
}

/** The browser never sees the verifier: `state` and `nonce` do not reveal it. */
function requestOf(cookie: string, attempt: ProviderAttempt, redirectUri: string, key: Key): ProviderRequest {
  return {
    redirectUri,
    state: derive(key, 'state', cookie),
    nonce: derive(key, 'nonce', cookie),
    verifier: new Secret(derive(key, 'verifier', cookie)),
    ...(attempt.isAgain && { provenSince: attempt.begunAt }),
  };
}

function derive(key: Key, what: 'state' | 'nonce' | 'verifier', cookie: string): Hex {
  return key.mac['provider-sign-in'].sum(Buffer.from(`${what} ${sha256(cookie)}`));
}

/** A second return with the same state signs nobody in. */
function isFirstUse(state: string, { begunAt }: ProviderAttempt, { store }: Ports): Promise<boolean> {
  const mark = sha256(`provider sign-in ${state}`);
  return store.change(assertions, mark, (found) => {
    const next = { mark, endsAt: after(begunAt, PROVIDER_LIFETIME) };
    return found ? { outcome: false } : { outcome: true, next };
  });
}
