// DPoP proofs (RFC 9449 4.3, 7): a token that is bound to a key comes with a proof of that key, for this call alone.
import { createHash } from 'node:crypto';
import { type CompactVerifyGetKey, calculateJwkThumbprint, compactVerify, EmbeddedJWK } from 'jose';
import type { Claims } from './claims.ts';
import { notify, type Settings } from './options.ts';
import { type Load, type MadeProof, ProofMemory } from './proof-memory.ts';
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
/** Of the memory. The operator hears of more, and again once it has been less than half of this. */
const MANY = 0.7;
const LONGEST = 8192;

const MISSING = refuse('proof-invalid', 'This token needs a DPoP proof: Authorization: DPoP and the header DPoP.');
const INVALID = refuse('proof-invalid', 'The DPoP proof is not valid for this call. Make a new one for each.');
const TOO_MANY = refuse(
  'proofs-too-many',
  'This key has sent more DPoP proofs in the last minute than its share. Wait.',
);

type ProofSettings = Pick<Settings, 'now' | 'clockTolerance' | 'onNotice'>;

export class DpopProofs {
  readonly #settings: ProofSettings;
  readonly #memory: ProofMemory;
  #areMany = false;

  constructor(settings: ProofSettings, memory = new ProofMemory()) {
    this.#settings = settings;
    this.#memory = memory;
  }

  load(): Load {
    return this.#memory.load(this.#settings.now() / 1000);
  }

  /** Why the call may not use the token; undefined if it may. */
  async whyNotBound({ boundToKey }: Claims, token: string, call: DpopCall | undefined): Promise<Refusal | undefined> {
    if (boundToKey === undefined) return undefined;
    if (!call?.proof) return MISSING;
    const proof = await this.#read(call.proof, boundToKey, token, call);
    if (!proof) return INVALID;
    const remembered = this.#memory.remember({ key: boundToKey, ...proof }, this.#settings.now() / 1000);
    if (remembered === 'repeated') return INVALID;
    this.#watch();
    return remembered === 'over-share' ? TOO_MANY : undefined;
  }

  #watch(): void {
    const { used, most } = this.load();
    const wereMany = this.#areMany;
    this.#areMany = used > most * (wereMany ? MANY / 2 : MANY);
    if (this.#areMany && !wereMany)
      notify(
        this.#settings,
        `${used} DPoP proofs in a minute: above ${(most * 4) / 5}, the keys with most are refused`,
      );
  }

  /** What identifies a good proof for this call. */
  async #read(
    proof: string,
    key: string,
    token: string,
    { method, url }: DpopCall,
  ): Promise<Pick<MadeProof, 'id' | 'until'> | undefined> {
    if (proof.length > LONGEST) return undefined;
    try {
      const { payload, protectedHeader } = await compactVerify(proof, ofKey(key), { algorithms: DPOP_ALGORITHMS });
      const { htm, htu, iat, jti, ath } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
      const isOfCall = htm === method && plain(htu) !== undefined && plain(htu) === plain(url);
      const isOfToken = ath === createHash('sha256').update(token).digest('base64url');
      if (protectedHeader.typ !== 'dpop+jwt' || !isOfCall || !isOfToken || typeof jti !== 'string') return undefined;
      const window = WINDOW + this.#settings.clockTolerance;
      const isNow = typeof iat === 'number' && Math.abs(this.#settings.now() / 1000 - iat) <= window;
      return isNow ? { id: jti, until: iat + window } : undefined;
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
