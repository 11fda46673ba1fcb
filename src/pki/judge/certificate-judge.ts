// The entry for requests: a remembered verdict where there is one, else a validation, with what the issuer's revocation
// policy wants to be known fetched in between.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Path } from '../path/path.ts';
import { authoritiesOf, readAll, readIssuer } from '../path/read-issuer.ts';
import type { KnownAuthority } from '../revocation/fetched-lists.ts';
import type { OcspResponse } from '../revocation/ocsp.ts';
import { signersBeside } from '../revocation/revocation.ts';
import { type RevocationPorts, RevocationSource } from '../revocation/revocation-source.ts';
import { revokingLists } from '../revocation/revoked-marks.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';
import { Verdicts } from './verdict.ts';

const MOST_AUTHORITIES = 1_000;

export class CertificateJudge {
  readonly revocation: RevocationSource;
  readonly #verdicts = new Verdicts();
  readonly #now: () => EpochSeconds;
  /** Authorities that callers sent and whose paths hold, by approved issuer: lists of theirs are fetched as well. */
  readonly #sent = new Map<string, { readonly label: string; readonly authority: Certificate }>();
  #issuers: readonly ApprovedIssuer[] = [];
  #followed: readonly ApprovedIssuer[] = [];

  constructor(ports: RevocationPorts) {
    this.revocation = new RevocationSource(ports, () => this.#authorities());
    this.#now = ports.now;
  }

  /** `issuers` must be the same array as long as nothing in it has changed. */
  async judge(chain: readonly Uint8Array[], issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    this.#issuers = issuers;
    const presented = this.#presented(chain, issuers, []);
    return this.#verdicts.recall(presented) ?? (await this.#judgeAnew(presented));
  }

  async #judgeAnew(presented: PresentedCertificate): Promise<Judgement> {
    const { chain, issuers, evidence } = presented;
    const first = judgeCertificate(presented);
    const responses = await this.#learn(chain, first);
    // Where nothing was learned, the verdict stands: strangers do not make us judge twice.
    const hasLearned = responses.length > 0 || evidence.lists !== this.revocation.lists;
    if (!hasLearned) return this.#verdicts.remember(presented, first);
    return this.#verdicts.judge(this.#presented(chain, issuers, responses));
  }

  /** The lists at hand that end grants. */
  revokingLists(issuers: readonly ApprovedIssuer[]): ReturnType<typeof revokingLists> {
    return revokingLists(this.revocation.lists, issuers, [...this.#sent.values()]);
  }

  /** Takes the lists that other nodes have fetched, of issuers approved now. */
  async followLists(issuers: readonly ApprovedIssuer[]): Promise<void> {
    this.#issuers = issuers;
    await this.revocation.followLists(issuers !== this.#followed);
    this.#followed = issuers;
  }

  /** Nobody is asked about a certificate that is refused whatever they say. */
  async #learn(chain: readonly Uint8Array[], judgement: Judgement): Promise<readonly OcspResponse[]> {
    const { outcome, path, issuer } = judgement;
    const isOpen = outcome.ok || outcome.refusal.reason === 'certificate-revocation-unknown';
    if (!isOpen || !path || !issuer) return [];
    this.#rememberSent(path.slice(1, -1), issuer);
    if (issuer.revocation.crl !== 'off') this.#rememberSent(this.#signersSent(chain, path, issuer), issuer);
    return this.revocation.prepare(path, issuer);
  }

  /** Beside the path there may be another key of its issuers that signs their lists. */
  #signersSent(chain: readonly Uint8Array[], path: Path, issuer: ApprovedIssuer): readonly Certificate[] {
    const onPath = new Set(path.map(({ fingerprint }) => fingerprint));
    const beside = readAll(chain.slice(1)).filter(({ fingerprint }) => !onPath.has(fingerprint));
    if (beside.length === 0) return [];
    const pool = [...path.slice(1, -1), ...beside, ...readIssuer(issuer).intermediates];
    const evidence = { lists: this.revocation.lists, responses: [] };
    return signersBeside({ path, pool, issuer, evidence, now: this.#now() });
  }

  /** Whose lists count: issuers that mind them, what is registered with these, and what callers sent below them. */
  #authorities(): readonly KnownAuthority[] {
    const minding = this.#issuers.filter(({ enabled, revocation }) => enabled && revocation.crl !== 'off');
    const byLabel = new Map(minding.map((issuer) => [issuer.label, issuer]));
    const registered = minding.flatMap((issuer) => authoritiesOf(issuer).map((authority) => ({ authority, issuer })));
    const sent = [...this.#sent.values()].flatMap(({ label, authority }) => {
      const issuer = byLabel.get(label);
      return issuer ? [{ authority, issuer }] : [];
    });
    return [...registered, ...sent];
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
