// The entry for requests: a remembered verdict where there is one, else a validation, with what the issuer's revocation
// policy wants to be known fetched in between.
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Certificate } from './certificate.ts';
import { heedOpenssl, type OpensslVerdict } from './heed-openssl.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';
import type { OcspResponse } from './ocsp.ts';
import { type RevocationPorts, RevocationSource } from './revocation-source.ts';
import { revokedMarks } from './revoked-marks.ts';
import { Verdicts } from './verdict.ts';

const MOST_AUTHORITIES = 1_000;

export class CertificateJudge {
  readonly revocation: RevocationSource;
  readonly #verdicts = new Verdicts();
  readonly #now: () => EpochSeconds;
  /** Authorities that callers sent and whose paths hold, by approved issuer: lists of theirs are fetched as well. */
  readonly #sent = new Map<string, { readonly label: string; readonly authority: Certificate }>();

  constructor(ports: RevocationPorts) {
    this.revocation = new RevocationSource(ports);
    this.#now = ports.now;
  }

  /** `issuers` must be the same array as long as nothing in it has changed. */
  async judge(
    chain: readonly Uint8Array[],
    issuers: readonly ApprovedIssuer[],
    openssl?: OpensslVerdict,
  ): Promise<Judgement> {
    // Of the handshake, and so no part of what is remembered about the chain.
    return heedOpenssl(await this.#recallOrJudge(chain, issuers), openssl);
  }

  async #recallOrJudge(chain: readonly Uint8Array[], issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    const presented = this.#presented(chain, issuers, []);
    const known = this.#verdicts.recall(presented);
    if (known) return known;
    const first = judgeCertificate(presented);
    const responses = await this.#learn(first);
    // Where nothing was learned, the verdict stands: strangers do not make us judge twice.
    const hasLearned = responses.length > 0 || presented.evidence.lists !== this.revocation.lists;
    if (!hasLearned) return this.#verdicts.remember(presented, first);
    return this.#verdicts.judge(this.#presented(chain, issuers, responses));
  }

  /** The certificates that the lists at hand revoke, where that ends grants. */
  revokedMarks(issuers: readonly ApprovedIssuer[]): Iterable<Uint8Array> {
    return revokedMarks(this.revocation.lists, issuers, [...this.#sent.values()]);
  }

  /** Nobody is asked about a certificate that is refused whatever they say. */
  async #learn({ outcome, path, issuer }: Judgement): Promise<readonly OcspResponse[]> {
    const isOpen = outcome.ok || outcome.refusal.reason === 'certificate-revocation-unknown';
    if (!isOpen || !path || !issuer) return [];
    this.#rememberSent(path.slice(1, -1), issuer);
    return this.revocation.prepare(path, issuer.revocation);
  }

  #rememberSent(authorities: readonly Certificate[], { label }: ApprovedIssuer): void {
    if (this.#sent.size > MOST_AUTHORITIES) this.#sent.clear();
    for (const authority of authorities) this.#sent.set(`${label} ${authority.fingerprint}`, { label, authority });
  }

  #presented(
    chain: readonly Uint8Array[],
    issuers: readonly ApprovedIssuer[],
    responses: readonly OcspResponse[],
  ): PresentedCertificate {
    return { chain, issuers, evidence: { lists: this.revocation.lists, responses }, now: this.#now() };
  }
}
