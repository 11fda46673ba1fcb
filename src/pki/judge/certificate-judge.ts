// Judges the certificate of a request: returns the cached verdict, or validates and fetches the revocation data that
// the issuer's policy requires.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Path } from '../path/path.ts';
import { authoritiesOf, readIssuer } from '../path/read-issuer.ts';
import type { KnownAuthority } from '../revocation/fetched-lists.ts';
import type { OcspResponse } from '../revocation/ocsp.ts';
import { signersBeside } from '../revocation/revocation.ts';
import { type RevocationPorts, RevocationSource } from '../revocation/revocation-source.ts';
import { revokingLists } from '../revocation/revoked-marks.ts';
import { type Candidate, candidateOf } from '../x509/candidate.ts';
import type { Certificate } from '../x509/certificate.ts';
import { readSent } from '../x509/sent-authorities.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';
import { Verdicts } from './verdict-cache.ts';

const MAX_AUTHORITIES = 1_000;

export class CertificateJudge {
  readonly revocation: RevocationSource;
  readonly #verdicts = new Verdicts();
  readonly #now: () => EpochSeconds;
  /** Validated intermediates that callers sent, by approved issuer: their lists are fetched too. */
  readonly #sent = new Map<string, { readonly label: string; readonly authority: Certificate }>();
  #issuers: readonly ApprovedIssuer[] = [];
  #followed: readonly ApprovedIssuer[] = [];

  constructor(ports: RevocationPorts) {
    this.revocation = new RevocationSource(ports, () => this.#authorities());
    this.#now = ports.now;
  }

  /** `issuers` must be the same array until something in it changes. */
  async judge(chain: readonly Uint8Array[], issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    this.#issuers = issuers;
    const presented = this.#presented(chain, issuers, []);
    return this.#verdicts.recall(presented) ?? (await this.#judgeAnew(presented));
  }

  async #judgeAnew(presented: PresentedCertificate): Promise<Judgement> {
    const { chain, issuers, evidence } = presented;
    const first = judgeCertificate(presented);
    const responses = await this.#learn(chain, first);
    // If nothing was fetched, the first verdict stands; nobody can make us judge twice for nothing.
    const hasLearned = responses.length > 0 || evidence.lists !== this.revocation.lists;
    if (!hasLearned) return this.#verdicts.remember(presented, first);
    return this.#verdicts.judge(this.#presented(chain, issuers, responses));
  }

  /** The current lists that end grants. */
  revokingLists(issuers: readonly ApprovedIssuer[]): ReturnType<typeof revokingLists> {
    return revokingLists(this.revocation.lists, issuers, [...this.#sent.values()]);
  }

  /** Loads the lists that other nodes fetched, for the currently approved issuers. */
  async followLists(issuers: readonly ApprovedIssuer[]): Promise<void> {
    this.#issuers = issuers;
    await this.revocation.followLists(issuers !== this.#followed);
    this.#followed = issuers;
  }

  /** Fetches nothing for a certificate that is refused anyway. */
  async #learn(chain: readonly Uint8Array[], judgement: Judgement): Promise<readonly OcspResponse[]> {
    const { outcome, path, issuer } = judgement;
    const isOpen = outcome.ok || outcome.refusal.reason === 'certificate-revocation-unknown';
    if (!isOpen || !path || !issuer) return [];
    this.#rememberSent(path.slice(1, -1), issuer);
    if (issuer.revocation.crl !== 'off') this.#rememberSent(this.#signersSent(chain, path, issuer), issuer);
    return this.revocation.prepare(path, issuer);
  }

  /** The caller may also have sent other certificates of the issuers, with keys that sign their lists. */
  #signersSent(chain: readonly Uint8Array[], path: Path, issuer: ApprovedIssuer): readonly Certificate[] {
    const sent = chain.slice(1).map(readSent);
    const pool = sent.flatMap((read) => (read.ok ? [read.value] : []));
    const isOnPath = ({ der }: Candidate) => path.some((certificate) => Buffer.compare(certificate.der, der) === 0);
    if (pool.every(isOnPath)) return [];
    const evidence = { lists: this.revocation.lists, responses: [] };
    const registered = readIssuer(issuer).intermediates.map(candidateOf);
    return signersBeside({ path, pool: [...pool, ...registered], issuer, evidence, now: this.#now() });
  }

  /**
   * The CAs whose lists are used: issuers that check CRLs, their registered intermediates, and intermediates that
   * callers sent below them.
   */
  #authorities(): readonly KnownAuthority[] {
    const checking = this.#issuers.filter(({ enabled, revocation }) => enabled && revocation.crl !== 'off');
    const byLabel = new Map(checking.map((issuer) => [issuer.label, issuer]));
    const registered = checking.flatMap((issuer) => authoritiesOf(issuer).map((authority) => ({ authority, issuer })));
    const sent = [...this.#sent.values()].flatMap(({ label, authority }) => {
      const issuer = byLabel.get(label);
      return issuer ? [{ authority, issuer }] : [];
    });
    return [...registered, ...sent];
  }

  #rememberSent(authorities: readonly Certificate[], { label }: ApprovedIssuer): void {
    if (this.#sent.size > MAX_AUTHORITIES) this.#sent.clear();
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
