// Fetches OCSP responses and caches them until they expire.

import { hash, randomBytes } from 'node:crypto';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import { type EpochSeconds, earlier, epochSeconds, type Seconds } from '../../core/time.ts';
import { download, type Fetch } from '../../outbound/download.ts';
import { TAG } from '../der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../der/der-write.ts';
import type { Certificate } from '../x509/certificate.ts';
import { beginOf } from './crl.ts';
import { keyBitsOf, OCSP_NONCE, type OcspResponse, readOcspResponse, responderOf } from './ocsp.ts';
import { backOff, type Kept, NEVER, RETRY_SECONDS, renewalOf, renewals } from './renewal.ts';

export interface ResponderPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** How long a response without a nonce is used after it arrived: it may be a replayed old one. */
  readonly withoutNonce: Seconds;
}

export interface Pair {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
}

interface KeptResponse extends Kept {
  readonly response?: OcspResponse;
  /** The delay after the last failure. */
  readonly delay?: number;
}

const MAX_RESPONSES = 10_000;
const MAX_BYTES = 128 * 1024;
const TIMEOUT_MS = 5_000;
/** The first delay after a responder fails to respond; it applies to all certificates. */
const FIRST_PAUSE_SECONDS = 5;

export class OcspClient {
  readonly #ports: ResponderPorts;
  readonly #renewOnce: ReturnType<typeof renewals>;
  readonly #responses = new Map<string, KeptResponse>();
  readonly #pauses = new Map<string, { readonly until: EpochSeconds; readonly delay: number }>();

  constructor(ports: ResponderPorts) {
    this.#ports = ports;
    this.#renewOnce = renewals(ports.now);
  }

  async need(pair: Pair, { revocation }: ApprovedIssuer): Promise<OcspResponse | undefined> {
    const key = `${pair.issuer.fingerprint} ${pair.certificate.fingerprint}`;
    await this.#renewOnce(key, this.#responses.get(key), () =>
      this.#fetch(key, pair, revocation.allowedAddresses ?? []),
    );
    return this.#responses.get(key)?.response;
  }

  async #fetch(key: string, { certificate, issuer }: Pair, allowed: readonly string[]): Promise<void> {
    const url = responderOf(certificate) ?? '';
    const paused = this.#pauses.get(url);
    if (paused && this.#ports.now() < paused.until) {
      const kept = { endsAt: NEVER, ...this.#responses.get(key), renewAt: paused.until };
      return void keepNewest(this.#responses, key, kept, MAX_RESPONSES);
    }
    const nonce = randomBytes(16);
    const body = new Uint8Array(writeOcspRequest(certificate, issuer, nonce));
    const headers = { 'content-type': 'application/ocsp-request' };
    const bounds = { maxBytes: MAX_BYTES, withinMs: TIMEOUT_MS, allowed };
    const answer = await download(this.#ports.fetch, url, { method: 'POST', headers, body, ...bounds });
    this.#notePause(url, answer.ok);
    const read = answer.ok ? readOcspResponse(answer.value) : answer;
    const isUsed = read.ok && isAnswerTo(read.value, nonce) && hasBegun(read.value, this.#ports.now());
    const response = isUsed ? read.value : undefined;
    const kept = response ? this.#keptOf(response) : this.#failureOf(key);
    keepNewest(this.#responses, key, kept, MAX_RESPONSES);
  }

  #notePause(url: string, hasAnswered: boolean): void {
    if (hasAnswered) return void this.#pauses.delete(url);
    const delay = backOff(FIRST_PAUSE_SECONDS, this.#pauses.get(url)?.delay);
    const until = epochSeconds(this.#ports.now() + delay);
    keepNewest(this.#pauses, url, { until, delay }, MAX_RESPONSES);
  }

  #keptOf(response: OcspResponse): KeptResponse {
    const now = this.#ports.now();
    const [from, to] = datesOf(response);
    const renewAt = renewalOf(from, to, now);
    if (response.nonce) return { response, renewAt, endsAt: to ?? NEVER };
    const trustedUntil = epochSeconds(now + this.#ports.withoutNonce);
    return {
      response: { ...response, trustedUntil },
      renewAt: earlier(renewAt, trustedUntil),
      endsAt: earlier(to ?? NEVER, trustedUntil),
    };
  }

  /** An earlier response stays valid until it expires. */
  #failureOf(key: string): KeptResponse {
    const { response, endsAt = NEVER, delay: before } = this.#responses.get(key) ?? {};
    const delay = backOff(RETRY_SECONDS, before);
    const renewAt = epochSeconds(this.#ports.now() + delay);
    return { ...(response && { response }), renewAt, endsAt, delay };
  }
}

/** `thisUpdate` and `nextUpdate` of the answer that expires first. */
function datesOf({ answers }: OcspResponse): [EpochSeconds | undefined, EpochSeconds | undefined] {
  const [first] = [...answers].sort((a, b) => (a.nextUpdate ?? NEVER) - (b.nextUpdate ?? NEVER));
  return [first?.thisUpdate, first?.nextUpdate];
}

/** A response that is not valid yet does not replace one that is; it still revokes. */
function hasBegun({ answers }: OcspResponse, now: EpochSeconds): boolean {
  return answers.some((answer) => answer.state === 'revoked' || beginOf(answer) <= now);
}

/** Responders that sign in advance send no nonce (RFC 9654); a response with a different nonce is a replay. */
function isAnswerTo({ nonce }: OcspResponse, sent: Uint8Array): boolean {
  return nonce === undefined || Buffer.compare(nonce, sent) === 0;
}

// SHA-1 only identifies the certificate; every responder supports it (RFC 5019 2.1.1).
const SHA1 = writeSequence(writeOid('1.3.14.3.2.26'), write(TAG.null));

/** RFC 6960 4.1. `nonce`: random octets that the response must repeat, so that an old response cannot be replayed. */
function writeOcspRequest(certificate: Certificate, issuer: Certificate, nonce: Uint8Array): Uint8Array {
  const certificateId = writeSequence(
    SHA1,
    write(TAG.octetString, hash('sha1', issuer.subject.der, 'buffer')),
    write(TAG.octetString, hash('sha1', keyBitsOf(issuer), 'buffer')),
    write(TAG.integer, certificate.serial),
  );
  const nonceExtension = writeSequence(writeOid(OCSP_NONCE), write(TAG.octetString, write(TAG.octetString, nonce)));
  const requests = writeSequence(writeSequence(certificateId));
  return writeSequence(writeSequence(requests, writeContext(2, writeSequence(nonceExtension))));
}
