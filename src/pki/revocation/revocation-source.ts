// Fetches, caches and renews all revocation data. Only for valid paths: an approved issuer wrote every address.

import type { ApprovedIssuer } from '../../core/issuer.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import { acceptedOf } from '../../core/outcome.ts';
import { type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import type { Fetch } from '../../outbound/download.ts';
import { ALONE } from '../../outbound/shared-download.ts';
import { readPemOrDer } from '../der/pem.ts';
import type { Path } from '../path/path.ts';
import { authoritiesOf, readIssuer } from '../path/read-issuer.ts';
import { type Candidate, candidateOf, readCandidate } from '../x509/candidate.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type RevocationList, readRevocationList } from './crl.ts';
import { FetchedLists, type KnownAuthority } from './fetched-lists.ts';
import type { ListLimits } from './kept-lists.ts';
import { type ListExchange, stillInForce } from './kept-lists.ts';
import { asksResponder, listAddresses } from './list-addresses.ts';
import { ListReader } from './list-reader.ts';
import type { OcspResponse } from './ocsp.ts';
import { OcspClient, type Pair } from './ocsp-client.ts';
import { NEVER } from './renewal.ts';
import { revokingLists, signersBeside } from './revocation.ts';

export interface RevocationPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** Present if several nodes share the store. */
  readonly exchange?: ListExchange;
  readonly logRefused?: (url: string, why: string) => void;
  readonly logLimit?: (limit: string) => void;
  readonly limits?: Partial<RevocationLimits>;
}

export interface RevocationLimits extends Omit<ListLimits, 'issuers'> {
  readonly ocspWithoutNonce: Seconds;
}

const REVOCATION_LIMITS: RevocationLimits = {
  listBytes: 64 * 1024 * 1024,
  ocspWithoutNonce: seconds(3600),
  addressesPerIssuer: 1_000,
  totalBytes: 512 * 1024 * 1024,
};

/** How long a limit is reported after it was reached. */
const REPORT_SECONDS = 3_600;

const WITHOUT_STORE: ListExchange = {
  ...ALONE,
  named: () => undefined,
  isWanted: () => true,
  news: async () => undefined,
  contents: async () => undefined,
};

const MAX_AUTHORITIES = 1_000;

export class RevocationSource {
  readonly #ports: RevocationPorts;
  readonly #limits: RevocationLimits;
  readonly #fetched: FetchedLists;
  readonly #responders: OcspClient;
  /** The limits that were reached, and when they were logged. */
  readonly #reached = new Map<string, EpochSeconds>();
  /** How many lists were dropped because of a limit. */
  dropped = 0;
  /** Validated intermediates that callers sent, by approved issuer: their lists are fetched too. */
  readonly #sent = new Map<string, { readonly label: string; readonly authority: Certificate }>();
  #issuers: readonly ApprovedIssuer[] = [];
  #followed: readonly ApprovedIssuer[] = [];
  #fromFiles: readonly RevocationList[] = [];
  #lists: readonly RevocationList[] = [];
  /** Shared, so that only one large list is parsed at a time. */
  readonly reader = new ListReader();

  constructor(ports: RevocationPorts) {
    const { fetch, now, exchange = WITHOUT_STORE, logRefused = () => undefined, limits } = ports;
    this.#ports = ports;
    this.#limits = { ...REVOCATION_LIMITS, ...limits };
    this.#responders = new OcspClient({ fetch, now, withoutNonce: this.#limits.ocspWithoutNonce });
    this.#fetched = new FetchedLists({
      ...{ fetch, now, exchange, logRefused, reader: this.reader },
      limits: () => ({ ...this.#limits, issuers: this.#issuers.length }),
      limitHit: (limit) => this.#limitHit(limit, exchange),
      authorities: () => this.#authorities(),
      changed: () => this.#gather(),
    });
  }

  /** Returns the same array until something changes: cached verdicts depend on it. */
  get lists(): readonly RevocationList[] {
    return this.#lists;
  }

  /** Parses the CRL files at once, on this thread. */
  useFiles(files: readonly Uint8Array[]): void {
    this.useLists(acceptedOf(files.flatMap((file) => readPemOrDer(file, 'X509 CRL')).map(readRevocationList)));
  }

  /** The CRL files from the settings; loaded before the first request is served. */
  useLists(lists: readonly RevocationList[]): void {
    this.#fromFiles = [...lists, ...stillInForce(this.#fromFiles, lists, this.#ports.now())];
    this.#gather();
  }

  /** Fetches what the policy needs, then judges with these responses and the lists, none of which is dropped before. */
  async prepare<T>(
    path: Path,
    issuer: ApprovedIssuer,
    { chain, issuers }: { readonly chain: readonly Uint8Array[]; readonly issuers: readonly ApprovedIssuer[] },
    judge: (responses: readonly OcspResponse[]) => T,
  ): Promise<T> {
    this.#issuers = issuers;
    this.#rememberSent(path.slice(1, -1), issuer);
    if (issuer.revocation.crl !== 'off') this.#rememberSent(this.#signersSent(path, issuer, chain), issuer);
    const pairs = path.slice(1).map((certificate, index) => ({ certificate, issuer: path[index] ?? path[0] }));
    const visits = pairs.map((pair) => this.#visitsFor(pair, issuer));
    const urls = visits.flatMap(({ urls }) => urls);
    const release = this.#fetched.hold(urls);
    try {
      const lists = urls.map((url) => this.#fetched.need(url, issuer.label));
      const requests = visits.flatMap(({ responder }) => (responder ? [this.#responders.need(responder, issuer)] : []));
      const [responses] = await Promise.all([Promise.all(requests), Promise.all(lists)]);
      return judge(responses.flatMap((response) => response ?? []));
    } finally {
      release();
    }
  }

  revokingLists(issuers: readonly ApprovedIssuer[]): ReturnType<typeof revokingLists> {
    return revokingLists(this.#lists, issuers, [...this.#sent.values()]);
  }

  /** Loads the lists that other nodes fetched, for the currently approved issuers. */
  async followLists(issuers: readonly ApprovedIssuer[]): Promise<void> {
    this.#issuers = issuers;
    await this.#fetched.follow(issuers !== this.#followed);
    this.#followed = issuers;
  }

  /** Renews every list that is due. A timer calls it, so that no request has to wait. */
  renewLists(): Promise<void> {
    return this.#fetched.renew();
  }

  get limitsReached(): readonly string[] {
    return [...this.#reached].flatMap(([limit, at]) => (this.#isRecent(at) ? [limit] : []));
  }

  #isRecent(at: EpochSeconds): boolean {
    return this.#ports.now() < at + REPORT_SECONDS;
  }

  /** Stored as well, so that `tessera doctor` finds it. */
  #limitHit(limit: string, exchange: ListExchange): void {
    this.dropped++;
    if (this.#isRecent(this.#reached.get(limit) ?? NEVER)) return;
    const at = this.#ports.now();
    this.#reached.set(limit, at);
    this.#ports.logLimit?.(limit);
    exchange.share({ url: 'limit', checkedAt: at, renewAt: at, failure: limit }).catch(() => undefined);
  }

  #visitsFor(pair: Pair, { revocation }: ApprovedIssuer): { urls: readonly string[]; responder?: Pair } {
    const { used: urls } = listAddresses(pair.certificate, revocation);
    return { urls, ...(asksResponder(pair.certificate, revocation) && { responder: pair }) };
  }

  /** The caller may also have sent other certificates of the issuers, with keys that sign their lists. */
  #signersSent(path: Path, issuer: ApprovedIssuer, chain: readonly Uint8Array[]): readonly Certificate[] {
    const pool = acceptedOf(chain.slice(1).map(readCandidate));
    const isOnPath = ({ der }: Candidate) => path.some((certificate) => Buffer.compare(certificate.der, der) === 0);
    if (pool.every(isOnPath)) return [];
    const evidence = { lists: this.#lists, responses: [] };
    const registered = readIssuer(issuer).intermediates.map(candidateOf);
    return signersBeside({ path, pool: [...pool, ...registered], issuer, evidence, now: this.#ports.now() });
  }

  /** The CAs whose lists are used: issuers that check CRLs, and intermediates below them, registered or sent. */
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
    for (const authority of authorities)
      keepNewest(this.#sent, `${label} ${authority.fingerprint}`, { label, authority }, MAX_AUTHORITIES);
  }

  #gather(): void {
    this.#lists = [...this.#fromFiles, ...this.#fetched.lists];
  }
}
