// Remembers verdicts, so that a caller on a kept-alive connection is not validated with every request.
import { hash } from 'node:crypto';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { RevocationList } from '../revocation/crl.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';

interface Verdict {
  readonly judgement: Judgement;
  readonly from: EpochSeconds;
  readonly until: EpochSeconds;
}

const MOST_VERDICTS = 10_000;
// A refusal may be lifted by what we cannot see coming (a CRL that arrives, a validity that begins).
const REFUSAL_SECONDS = 30;

/**
 * A verdict is known by the fingerprint of the whole chain, and holds until the first of: the end of a validity on its
 * path, the end of a CRL or an OCSP answer it rests on, any change of issuers or lists (which are then other objects).
 */
export class Verdicts {
  readonly #verdicts = new Map<string, Verdict>();
  #issuers: PresentedCertificate['issuers'] = [];
  #lists: readonly RevocationList[] = [];

  /** The verdict remembered, or nothing where the certificate has to be judged. */
  recall({ chain, issuers, evidence, now }: PresentedCertificate): Judgement | undefined {
    this.#forgetWhenChanged(issuers, evidence.lists);
    const verdict = this.#verdicts.get(fingerprintOf(chain));
    if (!verdict || now < verdict.from || now > verdict.until) return undefined;
    return verdict.judgement;
  }

  judge(presented: PresentedCertificate): Judgement {
    return this.recall(presented) ?? this.remember(presented, judgeCertificate(presented));
  }

  remember({ chain, now }: PresentedCertificate, judgement: Judgement): Judgement {
    const until = judgement.outcome.ok ? judgement.outcome.value.until : epochSeconds(now + REFUSAL_SECONDS);
    this.#keep(fingerprintOf(chain), { judgement, from: now, until });
    return judgement;
  }

  #forgetWhenChanged(issuers: PresentedCertificate['issuers'], lists: readonly RevocationList[]): void {
    if (issuers === this.#issuers && lists === this.#lists) return;
    this.#verdicts.clear();
    this.#issuers = issuers;
    this.#lists = lists;
  }

  /** The oldest verdict makes room: a flood of strangers costs callers a validation, never memory. */
  #keep(fingerprint: string, verdict: Verdict): void {
    this.#verdicts.delete(fingerprint);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size >= MOST_VERDICTS && oldest) this.#verdicts.delete(oldest);
    this.#verdicts.set(fingerprint, verdict);
  }
}

// On the chain itself, which a kept-alive connection presents with every request.
const FINGERPRINT = Symbol('fingerprint of the chain');
type MarkedChain = readonly Uint8Array[] & { [FINGERPRINT]?: string };

/** Each certificate delimits itself (DER), so that no two chains share the octets that are hashed. */
function fingerprintOf(chain: MarkedChain): string {
  chain[FINGERPRINT] ??= hash('sha256', Buffer.concat(chain), 'base64');
  return chain[FINGERPRINT];
}
