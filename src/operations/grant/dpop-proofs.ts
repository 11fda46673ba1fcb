// The DPoP proofs that this process has accepted (RFC 9449 4.3, 8, 11.1): none is accepted twice.
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { type EpochSeconds, seconds } from '../../core/time.ts';
import { DPOP_ALGORITHMS, mintNonce, nonceTime, readDpopProof } from '../../tokens/dpop.ts';
import type { Ports } from '../ports.ts';

export { DPOP_ALGORITHMS };

/** How long a nonce can be used, and so how long proofs are remembered. */
const NONCE_SECONDS = 300;
/** How far the clock of a caller may be off: the nonce shows that a proof is new. */
const CLOCK_SECONDS = 3600;
/** Of proofs that led to a token. */
const MOST_REMEMBERED = 100_000;
const RETRY_AFTER = seconds(5);

export interface AcceptedProof {
  readonly jkt: string;
  /** Called if the request was refused: callers without a grant must not fill the memory. */
  readonly forget: () => void;
}

export class DpopProofs {
  readonly #ports: Pick<Ports, 'keyring' | 'clock'>;
  /** Until when each is remembered, the oldest first. */
  readonly #seen = new Map<string, EpochSeconds>();

  constructor(ports: Pick<Ports, 'keyring' | 'clock'>) {
    this.#ports = ports;
  }

  nonce(): string {
    return mintNonce(this.#ports.clock.now(), this.#ports.keyring);
  }

  /** `urls`: the addresses of the endpoint. */
  check(
    text: string,
    method: string,
    urls: readonly string[],
  ): Outcome<AcceptedProof, Refusal<'dpop-proof-invalid' | 'dpop-nonce-needed' | 'overloaded'>> {
    const proof = readDpopProof(text);
    const now = this.#ports.clock.now();
    if (!proof || proof.method !== method || !urls.includes(plainUrl(proof.url))) return refuse('dpop-proof-invalid');
    if (Math.abs(proof.issuedAt - now) > CLOCK_SECONDS) return refuse('dpop-proof-invalid');
    const minted = nonceTime(proof.nonce, this.#ports.keyring);
    if (minted === undefined || Math.abs(now - minted) > NONCE_SECONDS) return refuse('dpop-nonce-needed');
    const key = `${proof.jkt} ${proof.id}`;
    if (this.#seen.has(key)) return refuse('dpop-proof-invalid');
    this.#forgetBefore(now);
    if (this.#seen.size >= MOST_REMEMBERED) return refuse('overloaded', { retryAfter: RETRY_AFTER });
    this.#seen.set(key, (now + 2 * NONCE_SECONDS) as EpochSeconds);
    return accept({ jkt: proof.jkt, forget: () => void this.#seen.delete(key) });
  }

  #forgetBefore(now: EpochSeconds): void {
    for (const [key, until] of this.#seen) {
      if (until > now) return;
      this.#seen.delete(key);
    }
  }
}

/** RFC 9449 4.3: without query and fragment. */
function plainUrl(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
