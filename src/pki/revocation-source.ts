// Fetches what is to be known about revocation, keeps it, and renews it before it ends. The only file of pki/ that waits
// for anybody. It is asked about paths that hold, so that the addresses it visits were written by approved issuers.
import { randomBytes } from 'node:crypto';
import type { RevocationPolicy } from '../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../core/time.ts';
import type { Certificate } from './certificate.ts';
import { type RevocationList, readRevocationList } from './crl.ts';
import { type OcspResponse, readOcspResponse, responderOf } from './ocsp.ts';
import { writeOcspRequest } from './ocsp-request.ts';
import type { Path } from './path.ts';
import { readPemOrDer } from './pem.ts';

export interface RevocationPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly now: () => EpochSeconds;
}

interface Kept<T> {
  readonly value: T | undefined;
  /** When it is asked for again: before it ends, or soon after a failure. */
  readonly renewAt: EpochSeconds;
  /** Until when it serves while its successor is on the way. */
  readonly endsAt: EpochSeconds;
}

const LARGEST_ANSWER = 32 * 1024 * 1024;
const PATIENCE_MS = 5_000;
const RETRY_SECONDS = 60;
const LONGEST_SECONDS = 86_400;
const MOST_RESPONSES = 10_000;
const NEVER = epochSeconds(0);

export class RevocationSource {
  readonly #ports: RevocationPorts;
  readonly #fetched = new Map<string, Kept<RevocationList>>();
  readonly #responses = new Map<string, Kept<OcspResponse>>();
  readonly #underWay = new Map<string, Promise<void>>();
  #fromFiles: readonly RevocationList[] = [];
  #lists: readonly RevocationList[] = [];

  constructor(ports: RevocationPorts) {
    this.#ports = ports;
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
      ...urls.map((url) => this.#once(url, this.#fetched.get(url), () => this.#fetchList(url))),
      ...asked.map((pair) =>
        this.#once(responseKey(pair), this.#responses.get(responseKey(pair)), () => this.#ask(pair)),
      ),
    ]);
    return asked.flatMap((pair) => this.#responses.get(responseKey(pair))?.value ?? []);
  }

  /** Renews every list that is due; called by a timer, so that no request has to wait for one. */
  async renewLists(): Promise<void> {
    const urls = [...this.#fetched.keys()];
    await Promise.all(urls.map((url) => this.#once(url, this.#fetched.get(url), () => this.#fetchList(url))));
  }

  /** One fetch at a time per address, whoever waits for it, and none while what is kept is fresh. */
  async #once(key: string, kept: Kept<unknown> | undefined, fetchIt: () => Promise<void>): Promise<void> {
    if (kept && this.#ports.now() < kept.renewAt) return;
    const running = this.#underWay.get(key) ?? fetchIt().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    if (!kept || this.#ports.now() > kept.endsAt) return running;
    // Nobody waits for it, so that nobody would hear of its fault: the next one who waits will.
    running.catch(() => undefined);
  }

  async #fetchList(url: string): Promise<void> {
    const answer = await this.#get(url, {});
    const [list] = answer ? readPemOrDer(answer, 'X509 CRL').flatMap(readUsable) : [];
    const value = list ?? this.#fetched.get(url)?.value;
    const renewAt = this.#renewal(list?.thisUpdate, list?.nextUpdate);
    this.#fetched.set(url, { value, renewAt, endsAt: value?.nextUpdate ?? NEVER });
    if (list) this.#gather();
  }

  async #ask({ certificate, issuer }: Pair): Promise<void> {
    const nonce = randomBytes(16);
    const body = new Uint8Array(writeOcspRequest(certificate, issuer, nonce));
    const headers = { 'content-type': 'application/ocsp-request' };
    const answer = await this.#get(responderOf(certificate) ?? '', { method: 'POST', headers, body });
    const read = answer && readOcspResponse(answer);
    const value = read?.ok && isAnswerTo(read.value, nonce) ? read.value : undefined;
    const [first] = value?.answers ?? [];
    if (this.#responses.size >= MOST_RESPONSES) this.#responses.clear();
    const renewAt = this.#renewal(first?.thisUpdate, first?.nextUpdate);
    this.#responses.set(responseKey({ certificate, issuer }), { value, renewAt, endsAt: first?.nextUpdate ?? NEVER });
  }

  /** No answer is no fault of ours: the policy says what it means. */
  async #get(url: string, init: RequestInit): Promise<Uint8Array | undefined> {
    if (!/^https?:\/\//i.test(url)) return undefined;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await this.#ports.fetch(url, { ...init, redirect: 'error', signal });
      if (!response.ok || Number(response.headers.get('content-length') ?? 0) > LARGEST_ANSWER) return undefined;
      const body = new Uint8Array(await response.arrayBuffer());
      return body.length > LARGEST_ANSWER ? undefined : body;
    } catch {
      return undefined;
    }
  }

  /** At four fifths of its life, after a minute at the soonest unless it ends before; what failed, after a minute. */
  #renewal(from: EpochSeconds | undefined, to: EpochSeconds | undefined): EpochSeconds {
    const now = this.#ports.now();
    if (from === undefined || to === undefined || to <= now) return epochSeconds(now + RETRY_SECONDS);
    const due = from + (to - from) * 0.8;
    return epochSeconds(Math.min(Math.max(due, now + RETRY_SECONDS), now + LONGEST_SECONDS, to));
  }

  #gather(): void {
    this.#lists = [...this.#fromFiles, ...[...this.#fetched.values()].flatMap(({ value }) => value ?? [])];
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

function listAddresses({ known }: Certificate): string[] {
  return (known.crlDistributionPoints ?? []).flatMap(({ names }) =>
    names.flatMap((name) => (name.kind === 'uri' && /^https?:/i.test(name.value) ? [name.value] : [])),
  );
}

/** Responders that make their answers beforehand send no nonce (RFC 9654); one that sends another's is replayed. */
function isAnswerTo({ nonce }: OcspResponse, sent: Uint8Array): boolean {
  return nonce === undefined || Buffer.compare(nonce, sent) === 0;
}
