// Caches verdicts, so that a caller on a kept-alive connection is not validated on every request.
import { hash } from 'node:crypto';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { RevocationList } from '../revocation/crl.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';

interface Verdict {
  readonly judgement: Judgement;
  readonly from: EpochSeconds;
  readonly until: EpochSeconds;
}

const MAX_VERDICTS = 10_000;
// A refusal may become obsolete without notice (an OCSP responder is back), so it is cached briefly.
const REFUSAL_SECONDS = 30;

/**
 * A verdict is stored under the fingerprint of the whole chain. It is valid until the first of: the end of a validity
 * period on its path, the end of a CRL or OCSP response it depends on, or a change of issuers or lists (detected by
 * object identity).
 */
export class Verdicts {
  readonly #verdicts = new Map<string, Verdict>();
  #issuers: PresentedCertificate['issuers'] = [];
  #lists: readonly RevocationList[] = [];

  /** The cached verdict; undefined if the certificate must be judged. */
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
    this.#keep(fingerprintOf(chain), { judgement, from: now, until: endOf(judgement, now) });
    return judgement;
  }

  #forgetWhenChanged(issuers: PresentedCertificate['issuers'], lists: readonly RevocationList[]): void {
    if (issuers === this.#issuers && lists === this.#lists) return;
    this.#verdicts.clear();
    this.#issuers = issuers;
    this.#lists = lists;
  }

  /** Evicts the oldest verdict: a flood of unknown certificates costs callers a validation, never memory. */
  #keep(fingerprint: string, verdict: Verdict): void {
    this.#verdicts.delete(fingerprint);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size >= MAX_VERDICTS && oldest) this.#verdicts.delete(oldest);
    this.#verdicts.set(fingerprint, verdict);
  }
}

/** A refusal ends before something begins that may change it. */
function endOf({ outcome, changesAt }: Judgement, now: EpochSeconds): EpochSeconds {
  if (outcome.ok) return outcome.value.until;
  return epochSeconds(Math.min(now + REFUSAL_SECONDS, (changesAt ?? Number.POSITIVE_INFINITY) - 1));
}

// Cached on the chain array, which a kept-alive connection passes with every request.
const FINGERPRINT = Symbol('fingerprint of the chain');
type MarkedChain = readonly Uint8Array[] & { [FINGERPRINT]?: string };

/** The lengths keep two certificates apart from one that contains the octets of both. */
function fingerprintOf(chain: MarkedChain): string {
  chain[FINGERPRINT] ??= `${chain.map(({ length }) => length)} ${hash('sha256', Buffer.concat(chain), 'base64')}`;
  return chain[FINGERPRINT];
}
