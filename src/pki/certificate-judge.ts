// The entry for requests: a remembered verdict where there is one, else a validation, with what the issuer's revocation
// policy wants to be known fetched in between.
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';
import type { OcspResponse } from './ocsp.ts';
import { type RevocationPorts, RevocationSource } from './revocation-source.ts';
import { Verdicts } from './verdict.ts';

export class CertificateJudge {
  readonly revocation: RevocationSource;
  readonly #verdicts = new Verdicts();
  readonly #now: () => EpochSeconds;

  constructor(ports: RevocationPorts) {
    this.revocation = new RevocationSource(ports);
    this.#now = ports.now;
  }

  /** `issuers` must be the same array as long as nothing in it has changed. */
  async judge(chain: readonly Uint8Array[], issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    const presented = this.#presented(chain, issuers, []);
    const known = this.#verdicts.recall(presented);
    if (known) return known;
    const first = judgeCertificate(presented);
    const responses = await this.#learn(first);
    return this.#verdicts.judge(this.#presented(chain, issuers, responses));
  }

  /** Nobody is asked about a certificate that is refused whatever they say. */
  async #learn({ outcome, path, issuer }: Judgement): Promise<readonly OcspResponse[]> {
    const isOpen = outcome.ok || outcome.refusal.reason === 'certificate-revocation-unknown';
    return isOpen && path && issuer ? this.revocation.prepare(path, issuer.revocation) : [];
  }

  #presented(
    chain: readonly Uint8Array[],
    issuers: readonly ApprovedIssuer[],
    responses: readonly OcspResponse[],
  ): PresentedCertificate {
    return { chain, issuers, evidence: { lists: this.revocation.lists, responses }, now: this.#now() };
  }
}
