// The decision: is this token good now? By what is known here if the revocation feed is fresh, otherwise by asking the service.
import type { Claims } from './claims.ts';
import type { DpopCall, DpopProofs } from './dpop.ts';
import type { Feed } from './feed.ts';
import type { Introspection, Known } from './introspection.ts';
import type { Jwts } from './jwt.ts';
import type { Settings } from './options.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Revocations } from './revocations.ts';
import { Misconfigured, Unavailable } from './service.ts';

export interface Allowed {
  readonly ok: true;
  /** `sub`: whose token it is. */
  readonly identity: string;
  /** Of a person, if the service was asked: `username`. */
  readonly name?: string;
  /** The integration that the token was issued to: `client_id`, unless there is a guest. */
  readonly integration: string;
  /** `client_id` of a client that nobody registered: the address of the document that describes it. */
  readonly guest?: string;
  /** What it allows here, now: `orders:read`, one by one. */
  readonly scope: readonly string[];
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** `cnf`: SHA-256 of the certificate that the token is bound to, in base64url. With `checkBinding: false`, you must check it. */
  readonly boundTo?: string;
  /** `cnf`: the thumbprint of the key that the token is bound to. With `checkBinding: false`, you must check the DPoP proof. */
  readonly boundToKey?: string;
}

export type Checked = Allowed | Refusal;

export interface CheckOptions {
  /** The client certificate of the connection (DER), if it has one. For tokens that are bound to a certificate. */
  readonly certificate?: Uint8Array | undefined;
  /** The call, for tokens that are bound to a key (`Authorization: DPoP`). */
  readonly dpop?: DpopCall | undefined;
}

export interface Parts {
  readonly settings: Settings;
  readonly feed: Feed;
  readonly revocations: Revocations;
  readonly jwts: Jwts;
  readonly introspection: Introspection;
  readonly proofs: DpopProofs;
}

const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const LONGEST = 16_384;
/** For how long an answer is kept that the feed does not correct: "not active", and about an exchanged token. */
const SHORT_MS = 5_000;

const INVALID = refuse(
  'token-invalid',
  'This token is not valid: it is forged, expired, revoked, or not for this API.',
);
const AWAY = refuse('unavailable', 'Whether this token is valid cannot be found out now.');

/** Returns the claims of a good token. */
export async function checkClaims(token: string, parts: Parts): Promise<Claims | Refusal> {
  if (token.length > LONGEST || !TOKEN.test(token)) return INVALID;
  const found = JWT.test(token) ? await checkJwt(token, parts) : await checkKnown(token, undefined, parts);
  if ('ok' in found) return found;
  const revoked = parts.revocations.whyRevoked(found);
  return revoked === undefined ? found : refuse('token-invalid', revoked);
}

async function checkJwt(token: string, parts: Parts): Promise<Claims | Refusal> {
  const read = await parts.jwts.read(token).catch(unlessAway);
  if (read === undefined) return INVALID;
  if (read === 'away') return askOr(token, undefined, parts); // nothing is known about the signature
  if (read.isExchanged || parts.revocations.needsIntrospection(read)) return checkKnown(token, read, parts);
  if (parts.feed.isFresh) return read;
  if (parts.settings.whenStale === 'refuse') return parts.feed.wasFresh ? read : AWAY;
  const checked = await checkKnown(token, read, parts);
  // What was known a moment ago still counts if the service cannot be asked.
  return checked === AWAY && parts.feed.wasFresh ? read : checked;
}

/** By an earlier answer, if it is recent enough; otherwise asks. `verified`: what the token says, if its signature is good. */
async function checkKnown(token: string, verified: Claims | undefined, parts: Parts): Promise<Claims | Refusal> {
  const known = parts.introspection.known(token);
  if (known && isRecent(known, parts)) return known.claims ?? INVALID;
  const claims = verified ?? known?.claims;
  if (claims && parts.revocations.whyRevoked(claims) !== undefined) return claims; // refused anyway: no need to ask
  // A token that the service has refused is not trusted because the service is away.
  const otherwise = known && !known.claims ? INVALID : claims;
  const checked = await askOr(token, claims?.isExchanged ? undefined : otherwise, parts);
  return checked === AWAY && known && stillCounts(known, parts) ? (known.claims as Claims) : checked;
}

function isRecent({ claims, askedAt }: Known, { settings, feed, revocations }: Parts): boolean {
  const age = settings.now() - askedAt;
  if (age < 0) return false; // the clock was set back
  if (!claims || claims.isExchanged) return age < SHORT_MS;
  if (!revocations.covers(claims, askedAt)) return false;
  // Without the feed, an answer is worth as much as the last news of the feed would be.
  const longest = feed.isFresh ? settings.cacheFor : Math.min(settings.cacheFor, settings.maxStale);
  return age < longest * 1000;
}

/** If the service cannot be asked: an answer that no later news of the feed has changed, as long as these news count. */
function stillCounts({ claims, askedAt }: Known, { settings, feed, revocations }: Parts): boolean {
  if (!claims || claims.isExchanged || askedAt > settings.now()) return false;
  return feed.wasFresh && revocations.covers(claims, askedAt);
}

/** `otherwise`: what holds while the service is away; claims are trusted until they expire, if the settings say so. */
async function askOr(token: string, otherwise: Claims | Refusal | undefined, parts: Parts): Promise<Claims | Refusal> {
  const answer = await parts.introspection.ask(token).catch(unlessAway);
  if (answer !== 'away' && answer !== undefined) return answer.claims ?? INVALID;
  const holds = otherwise && ('ok' in otherwise || parts.settings.onOutage === 'trust-until-expiry');
  return holds ? otherwise : AWAY;
}

/** A verifier that is no longer accepted knows as little as one without a connection. */
function unlessAway(fault: unknown): 'away' {
  if (fault instanceof Unavailable || fault instanceof Misconfigured) return 'away';
  throw fault;
}
