// The standard door of the server (RFC 6749, 7009, 8628), found by its metadata.
import type { Dpop } from '../dpop.ts';
import { TokenFailure } from '../failure.ts';
import { checkAddress, discover, type Endpoints, isMetadata, type Metadata } from './metadata.ts';
import { type Reply, replyOf, replyOfNone } from './reply.ts';
import { type Answer, NoAnswer, send, type Tls } from './send.ts';

type Form = Readonly<Record<string, string | undefined>>;

export interface DoorOptions {
  readonly server: string;
  readonly clientId: string;
  /** The PEM text of a private CA. */
  readonly ca: () => string | undefined;
  readonly timeoutMs: number;
  /** What authenticates the integration, made anew for each request. */
  readonly client?: ((issuer: string, clientId: string) => Readonly<Record<string, string>>) | undefined;
  readonly dpop?: Dpop | undefined;
}

/** How a request is sent: with a certificate, until when, and what must be done first. */
export interface Manner {
  readonly tls?: Tls | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly beforeSent?: (() => Promise<void>) | undefined;
}

export class Door {
  readonly #options: DoorOptions;
  #found: Metadata | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  async token(form: Form, manner?: Manner): Promise<Reply> {
    const reply = await this.#post('token_endpoint', 'access_token', form, manner);
    const isUnbound = reply.kind === 'granted' && !/^dpop$/i.test(String(reply.json['token_type']));
    if (!this.#options.dpop || !isUnbound) return reply;
    // RFC 9449 5: whoever gets such a token could use it.
    const why = 'The server answered with a token that is not bound to the dpop key';
    throw new TokenFailure('refused', why, 'Ask its operator whether it supports DPoP, or leave dpop out.');
  }

  deviceAuthorization(form: Form, manner?: Manner): Promise<Reply> {
    return this.#post('device_authorization_endpoint', 'device_code', form, manner);
  }

  /**
   * Where a person is sent for an authorization code. Undefined if this server or integration has none: then the page does not ask to
   * sign in, which a request without cookies finds out.
   */
  async authorizationAddress(
    form: Form,
    manner: Manner = {},
  ): Promise<{ readonly url: string; readonly issuer: string } | undefined> {
    try {
      const found = this.#found ?? (await discover(this.#options.server, this.#sending(manner)));
      if (!isMetadata(found) || !found.authorization_endpoint) return undefined;
      this.#found = found;
      const endpoint = checkAddress('authorization_endpoint', found.authorization_endpoint);
      const url = `${endpoint}?${new URLSearchParams(this.#formOf(form))}`;
      const { status } = await send(url, this.#sending(manner));
      // 303: where people sign in at one provider only, the page leads there.
      return status === 200 || status === 303 ? { url, issuer: found.issuer } : undefined;
    } catch (error) {
      if (error instanceof NoAnswer) return undefined; // the other way says why
      throw error;
    }
  }

  /** Ends the grant of this token. A token that is already dead gets 200 (RFC 7009 2.2). */
  revoke(token: string, manner?: Manner): Promise<Reply> {
    return this.#post('revocation_endpoint', undefined, { token }, manner);
  }

  /** Faults of the network become replies. */
  async #post(endpoint: keyof Endpoints, member: string | undefined, form: Form, manner: Manner = {}): Promise<Reply> {
    let isFound = false;
    try {
      const found = this.#found ?? (await discover(this.#options.server, this.#sending({ signal: manner.signal })));
      if (!isMetadata(found))
        return { kind: 'later', afterMs: undefined, why: `${this.#options.server} is not available` };
      this.#found = found;
      isFound = true;
      const url = this.#addressOf(found, endpoint, manner);
      const answer = await this.#send(
        url,
        form,
        manner,
        endpoint === 'token_endpoint' ? this.#options.dpop : undefined,
      );
      if (answer.status === 404) this.#found = undefined; // it may have moved
      return replyOf(answer, member);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (isUntrusted(error)) throw this.#distrust(error);
      return isFound ? replyOfNone(error) : { kind: 'later', afterMs: undefined, why: error.message };
    }
  }

  async #send(url: string, form: Form, manner: Manner, dpop: Dpop | undefined): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const proof = dpop?.proof('POST', url);
      const answer = await send(url, { ...this.#sending(manner), proof, form: this.#formOf(form) });
      const isNew = dpop?.learn(url, answer.nonce) ?? false;
      // RFC 9449 8: nothing was done; the same again with the nonce of the server.
      if (answer.json?.['error'] !== 'use_dpop_nonce' || !isNew || tries > 0) return answer;
    }
  }

  #addressOf(found: Metadata, endpoint: keyof Endpoints, { tls }: Manner): string {
    const address = (tls?.cert && found.mtls_endpoint_aliases?.[endpoint]) || found[endpoint];
    if (address !== undefined) return checkAddress(endpoint, address);
    throw new TokenFailure('refused', `${this.#options.server} has no ${endpoint}`, 'Ask its operator to turn it on.');
  }

  #distrust({ message }: NoAnswer): TokenFailure {
    const todo = 'If it has a private CA, give that one as `ca` (--ca), or set NODE_EXTRA_CA_CERTS.';
    return new TokenFailure('usage', `The certificate of ${this.#options.server} is not trusted: ${message}`, todo);
  }

  #formOf(form: Form): Record<string, string> {
    const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { server, clientId, client } = this.#options;
    return { ...Object.fromEntries(given), client_id: clientId, ...client?.(server, clientId) };
  }

  #sending({ tls, signal, beforeSent }: Manner) {
    const { ca, timeoutMs } = this.#options;
    return { tls: { ca: ca(), ...tls }, timeoutMs, signal, beforeSent };
  }
}

/** Repeating does not help: the other end is somebody else, or its CA is unknown here. */
function isUntrusted({ cause, wasSent }: NoAnswer): boolean {
  return !wasSent && UNTRUSTED.has(String((cause as NodeJS.ErrnoException).code));
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
