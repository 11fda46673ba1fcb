// Which DPoP proofs are accepted (RFC 9449 4.3, 8, 11.1): each once, and with a nonce of the last minute.
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { seconds } from '../../core/time.ts';
import { DPOP_ALGORITHMS, mintNonce, nonceTime, readDpopProof } from '../../tokens/dpop.ts';
import type { Ports } from '../ports.ts';
import { type Load, ProofMemory } from './proof-memory.ts';

/** How long a nonce can be used, and so each proof with it. Its time may be ahead of ours: another node has minted it. */
const NONCE_SECONDS = 60;
/** How far the clock of a caller may be off: the nonce shows that a proof is new. */
const CLOCK_SECONDS = 3600;
const RETRY_AFTER = seconds(5);

export interface AcceptedProof {
  readonly jkt: string;
  /** Called if the request was refused: callers without a grant must not fill the memory. */
  readonly forget: () => void;
}

type ProofReason = 'dpop-proof-invalid' | 'dpop-nonce-needed' | 'dpop-proofs-too-many';

export class DpopProofs {
  static readonly ALGORITHMS = DPOP_ALGORITHMS;
  readonly #ports: Pick<Ports, 'keyring' | 'clock'>;
  readonly #memory: ProofMemory;

  constructor(ports: Pick<Ports, 'keyring' | 'clock'>, memory = new ProofMemory()) {
    this.#ports = ports;
    this.#memory = memory;
  }

  load(): Load {
    return this.#memory.load(this.#ports.clock.now());
  }

  nonce(): string {
    return mintNonce(this.#ports.clock.now(), this.#ports.keyring);
  }

  /** `urls`: the addresses of the endpoint. */
  check(text: string, method: string, urls: readonly string[]): Outcome<AcceptedProof, Refusal<ProofReason>> {
    const proof = readDpopProof(text);
    const now = this.#ports.clock.now();
    if (!proof || proof.method !== method || !urls.includes(plainUrl(proof.url))) return refuse('dpop-proof-invalid');
    if (Math.abs(proof.issuedAt - now) > CLOCK_SECONDS) return refuse('dpop-proof-invalid');
    const minted = nonceTime(proof.nonce, this.#ports.keyring);
    if (minted === undefined || Math.abs(now - minted) > NONCE_SECONDS) return refuse('dpop-nonce-needed');
    const jkt = proof.signedBy();
    if (jkt === undefined) return refuse('dpop-proof-invalid');
    const remembered = this.#memory.remember({ key: jkt, id: proof.id, until: minted + NONCE_SECONDS }, now);
    if (remembered === 'repeated') return refuse('dpop-proof-invalid');
    if (remembered === 'over-share') return refuse('dpop-proofs-too-many', { retryAfter: RETRY_AFTER });
    return accept({ jkt, forget: remembered.forget });
  }
}

/** RFC 9449 4.3: without query and fragment. */
function plainUrl(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
