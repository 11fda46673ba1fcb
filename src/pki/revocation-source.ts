// What is to be known about revocation: lists from files, lists that certificates name, answers of responders; fetched,
// kept, and renewed before it ends. It is asked about paths that hold, so that the addresses it visits were written by
// approved issuers.
import { randomBytes } from 'node:crypto';
import type { RevocationPolicy } from '../core/issuer.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Certificate } from './certificate.ts';
import { type RevocationList, readRevocationList } from './crl.ts';
import { download, type Fetch } from './download.ts';
import { FetchedLists } from './fetched-lists.ts';
import { ALONE, type ListExchange } from './list-exchange.ts';
import { type OcspResponse, readOcspResponse, responderOf } from './ocsp.ts';
import { writeOcspRequest } from './ocsp-request.ts';
import type { Path } from './path.ts';
import { readPemOrDer } from './pem.ts';
import { type Kept, NEVER, Renewals, renewalOf } from './renewal.ts';

export interface RevocationPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** Where other nodes work on the same store. */
  readonly exchange?: ListExchange;
  /** Why a list that a certificate names was not taken. */
  readonly tellRefused?: (url: string, why: string) => void;
}

interface KeptResponse extends Kept {
  readonly response: OcspResponse | undefined;
}

const MOST_RESPONSES = 10_000;

export class RevocationSource {
  readonly #ports: RevocationPorts;
  readonly #fetched: FetchedLists;
  readonly #responses = new Map<string, KeptResponse>();
  readonly #renewals: Renewals;
  #fromFiles: readonly RevocationList[] = [];
  #lists: readonly RevocationList[] = [];

  /** `authorities`: those whose lists count. */
  constructor(ports: RevocationPorts, authorities: () => readonly Certificate[]) {
    const { fetch, now, exchange = ALONE, tellRefused = () => undefined } = ports;
    this.#ports = ports;
    this.#renewals = new Renewals(now);
    this.#fetched = new FetchedLists({
      fetch,
      now,
      exchange,
      authorities,
      tellRefused,
      changed: () => this.#gather(),
    });
  }

  /** The same array as long as nothing has changed: verdicts are remembered by it. */
  get lists(): readonly RevocationList[] {
    return this.#lists;
  }

  /** Contents of the CRL files that the settings name; loaded before the first request is served. */
  useFiles(files: readonly Uint8Array[]): void {
    this.#fromFiles = files.flatMap((file) => readPemOrDer(file, 'X509 CRL')).flatMap(readUsable);
    this.#gather();
  }

  /** Fetches what the policy asks for and is not at hand, and answers with the OCSP responses about this path. */
  async prepare(path: Path, policy: RevocationPolicy): Promise<readonly OcspResponse[]> {
    const pairs = path.slice(1).map((certificate, index) => ({ certificate, issuer: path[index] ?? path[0] }));
    const urls = policy.crl === 'off' ? [] : pairs.flatMap(({ certificate }) => listAddresses(certificate));
    const asked = policy.ocsp === 'off' ? [] : pairs.filter(({ certificate }) => responderOf(certificate));
    await Promise.all([
      ...urls.map((url) => this.#fetched.need(url)),
      ...asked.map((pair) => {
        const key = responseKey(pair);
        return this.#renewals.once(key, this.#responses.get(key), () => this.#ask(pair));
      }),
    ]);
    return asked.flatMap((pair) => this.#responses.get(responseKey(pair))?.response ?? []);
  }

  /** Takes the lists that other nodes have fetched; `all`, where other authorities may count than before. */
  followLists(all: boolean): Promise<void> {
    return this.#fetched.follow(all);
  }

  /** Renews every list that is due; called by a timer, so that no request has to wait for one. */
  renewLists(): Promise<void> {
    return this.#fetched.renew();
  }

  async #ask({ certificate, issuer }: Pair): Promise<void> {
    const nonce = randomBytes(16);
    const body = new Uint8Array(writeOcspRequest(certificate, issuer, nonce));
    const headers = { 'content-type': 'application/ocsp-request' };
    const answer = await download(this.#ports.fetch, responderOf(certificate) ?? '', { method: 'POST', headers, body });
    const read = answer.ok ? readOcspResponse(answer.value) : answer;
    const response = read.ok && isAnswerTo(read.value, nonce) ? read.value : undefined;
    const [first] = response?.answers ?? [];
    if (this.#responses.size >= MOST_RESPONSES) this.#responses.clear();
    const renewAt = renewalOf(first?.thisUpdate, first?.nextUpdate, this.#ports.now());
    this.#responses.set(responseKey({ certificate, issuer }), {
      response,
      renewAt,
      endsAt: first?.nextUpdate ?? NEVER,
    });
  }

  #gather(): void {
    this.#lists = [...this.#fromFiles, ...this.#fetched.lists];
  }
}

interface Pair {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
}

function responseKey({ certificate, issuer }: Pair): string {
  return `${issuer.fingerprint} ${certificate.fingerprint}`;
}

function readUsable(der: Uint8Array): RevocationList[] {
  const list = readRevocationList(der);
  return list.ok ? [list.value] : [];
}

/** A control character has no place in an address, nor in a store. */
function listAddresses({ known }: Certificate): string[] {
  return (known.crlDistributionPoints ?? []).flatMap(({ names }) =>
    names.flatMap((name) => (name.kind === 'uri' && /^https?:\P{Cc}*$/iu.test(name.value) ? [name.value] : [])),
  );
}

/** Responders that make their answers beforehand send no nonce (RFC 9654); one that sends another's is replayed. */
function isAnswerTo({ nonce }: OcspResponse, sent: Uint8Array): boolean {
  return nonce === undefined || Buffer.compare(nonce, sent) === 0;
}
