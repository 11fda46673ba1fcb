// DPoP proofs (RFC 9449 4.3, 7): a token that is bound to a key comes with a proof of that key, for this call alone.
import { createHash } from 'node:crypto';
import { type CompactVerifyGetKey, calculateJwkThumbprint, compactVerify, EmbeddedJWK } from 'jose';
import type { Claims } from './claims.ts';
import type { Settings } from './options.ts';
import { DPOP_ALGORITHMS, type Refusal, refuse } from './refusal.ts';

/** The call that a proof is for. */
export interface DpopCall {
  /** The header `DPoP`. */
  readonly proof: string | undefined;
  readonly method: string;
  /** The address as the caller wrote it, such as `https://orders.example.com/orders`. */
  readonly url: string;
}

/** Seconds that a proof can be used, before and after it was made. */
const WINDOW = 60;
/** Proofs that are remembered, so that none is accepted twice. */
const MOST_REMEMBERED = 100_000;
const LONGEST = 8192;

const MISSING = refuse('proof-invalid', 'This token needs a DPoP proof: Authorization: DPoP and the header DPoP.');
const INVALID = refuse('proof-invalid', 'The DPoP proof is not valid for this call. Make a new one for each.');
const BUSY = refuse('unavailable', 'Too many DPoP proofs at once. Send it again.');

export class DpopProofs {
  readonly #settings: Pick<Settings, 'now' | 'clockTolerance'>;
  readonly #most: number;
  /** Until when each is remembered, the oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(settings: Pick<Settings, 'now' | 'clockTolerance'>, most = MOST_REMEMBERED) {
    this.#settings = settings;
    this.#most = most;
  }

  /** Why the call may not use the token; undefined if it may. */
  async whyNotBound({ boundToKey }: Claims, token: string, call: DpopCall | undefined): Promise<Refusal | undefined> {
    if (boundToKey === undefined) return undefined;
    if (!call?.proof) return MISSING;
    const id = await this.#idOf(call.proof, boundToKey, token, call);
    if (id === undefined || this.#seen.has(id)) return INVALID;
    const now = this.#settings.now();
    for (const [known, until] of this.#seen) {
      if (until > now) break;
      this.#seen.delete(known);
    }
    if (this.#seen.size >= this.#most) return BUSY;
    this.#seen.set(id, now + 2 * (WINDOW + this.#settings.clockTolerance) * 1000);
    return undefined;
  }

  /** What identifies a good proof for this call. */
  async #idOf(proof: string, key: string, token: string, { method, url }: DpopCall): Promise<string | undefined> {
    if (proof.length > LONGEST) return undefined;
    try {
      const { payload, protectedHeader } = await compactVerify(proof, ofKey(key), { algorithms: DPOP_ALGORITHMS });
      const { htm, htu, iat, jti, ath } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
      const age = Math.abs(this.#settings.now() / 1000 - (iat as number));
      const isOfCall = htm === method && plain(htu) === plain(url) && age <= WINDOW + this.#settings.clockTolerance;
      const isOfToken = ath === createHash('sha256').update(token).digest('base64url');
      if (protectedHeader.typ !== 'dpop+jwt' || !isOfCall || !isOfToken || typeof jti !== 'string') return undefined;
      return createHash('sha256').update(`${key} ${jti}`).digest('base64');
    } catch {
      return undefined;
    }
  }
}

/** The key of the token alone, before the signature is checked: the service has accepted this key. */
function ofKey(thumbprint: string): CompactVerifyGetKey {
  return async (header, jws) => {
    if (!header?.jwk || (await calculateJwkThumbprint(header.jwk)) !== thumbprint) throw new Error('another key');
    return EmbeddedJWK(header, jws);
  };
}

/** RFC 9449 4.3: without query and fragment. */
function plain(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
