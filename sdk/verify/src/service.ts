// Requests to the service. Node's own client instead of fetch, because fetch cannot be given a certificate authority.
// Their sockets and timers do not keep the process alive: most requests are for the feed. What a program awaits does (awaited.ts).
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { isSafeAddress, type Settings } from './options.ts';

/** The service could not be reached, or could not answer. A later attempt may succeed. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** The service does not accept this verifier: its settings are wrong. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
}

/** The cursor of the feed has expired, or is of another store. */
export class CursorGone extends Error {
  override readonly name = 'CursorGone';
}

export interface Endpoints {
  readonly introspection: string;
  readonly revocations: string;
  readonly keys: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Sending {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isProven?: boolean;
  readonly signal?: AbortSignal;
  /** Called before the request leaves; the last call counts. */
  readonly onSend?: () => void;
}

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 16 * 2 ** 20;

export class Service {
  readonly #issuer: string;
  readonly #proof: string;
  readonly #ticks: () => number;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  #endpoints: Promise<Endpoints> | undefined;
  #isClosed = false;

  constructor({ issuer, resourceServer: { id, secret }, ca, ticks }: Settings) {
    this.#issuer = issuer;
    this.#ticks = ticks;
    const encoded = [id, secret].map(encodeURIComponent).join(':');
    this.#proof = `Basic ${Buffer.from(encoded).toString('base64')}`;
    const pooled = { keepAlive: true, maxSockets: 64 };
    this.#agents = {
      http: new HttpAgent(pooled),
      https: new HttpsAgent({ ...pooled, ...(ca !== undefined && { ca }) }),
    };
  }

  /** RFC 8414: where the endpoints are. Loaded once. */
  endpoints(): Promise<Endpoints> {
    this.#endpoints ??= this.#discover().catch((fault: unknown) => {
      this.#endpoints = undefined;
      throw fault;
    });
    return this.#endpoints;
  }

  async keys(): Promise<Json> {
    // A cache between may have keys that were removed.
    return this.#json((await this.endpoints()).keys, { headers: { 'cache-control': 'no-cache' } });
  }

  /** RFC 7662. */
  async introspect(token: string): Promise<Json> {
    return this.#json((await this.endpoints()).introspection, { form: { token }, isProven: true });
  }

  async snapshot(page: string | undefined): Promise<Json> {
    const { revocations } = await this.endpoints();
    const url = page === undefined ? revocations : `${revocations}?page=${encodeURIComponent(page)}`;
    return this.#json(url, { isProven: true }, feedFault);
  }

  /** The open stream of the revocation feed. `sentAt`: before the service can have received the request, in `ticks`. */
  async follow(cursor: string, signal: AbortSignal): Promise<{ response: IncomingMessage; sentAt: number }> {
    let sentAt = this.#ticks();
    const onSend = () => {
      sentAt = this.#ticks();
    };
    const headers = { accept: 'text/event-stream', 'last-event-id': cursor };
    const { revocations } = await this.endpoints();
    const response = await this.#send(revocations, { headers, isProven: true, signal, onSend });
    const { statusCode = 0, headers: given } = response;
    // A proxy's page says nothing about revocations.
    const isStream = /^text\/event-stream\b/i.test(given['content-type'] ?? '');
    if (statusCode === 200 && isStream) return { response, sentAt };
    response.destroy();
    throw statusCode === 200
      ? new Unavailable(`${revocations} did not answer with a stream`)
      : feedFault(statusCode, revocations);
  }

  close(): void {
    this.#isClosed = true;
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #discover(): Promise<Endpoints> {
    const found = await this.#json(`${this.#issuer}/.well-known/oauth-authorization-server`, {});
    if (found['issuer'] !== this.#issuer)
      throw new Misconfigured(`${this.#issuer} calls itself ${String(found['issuer'])}`);
    return {
      introspection: this.#addressIn(found, 'introspection_endpoint'),
      revocations: this.#addressIn(found, 'revocation_feed_endpoint'),
      keys: this.#addressIn(found, 'jwks_uri'),
    };
  }

  #addressIn(found: Json, name: string): string {
    const address = found[name];
    if (isSafeAddress(address)) return address;
    const what = address === undefined ? `has no ${name}` : `has a ${name} that is not an https address`;
    throw new Misconfigured(`${this.#issuer} ${what}. Ask its operator`);
  }

  async #json(url: string, sending: Sending, fault = faultOf): Promise<Json> {
    const response = await this.#send(url, sending);
    const text = await textOf(response);
    if (response.statusCode !== 200) throw fault(response.statusCode ?? 0, url);
    const found = parseObject(text);
    if (found) return found;
    throw new Unavailable(`${url} did not answer with a JSON object`);
  }

  /** All requests can be repeated. One that fails on a reused connection is: the service may have closed that connection. */
  #send(url: string, sending: Sending, isFirst = true): Promise<IncomingMessage> {
    if (this.#isClosed) return Promise.reject(new Unavailable('the verifier was closed'));
    const { form, headers = {}, isProven = false, signal, onSend } = sending;
    const body = form && new URLSearchParams(form).toString();
    const type = body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' };
    const proof = isProven && { authorization: this.#proof };
    const isTls = url.startsWith('https:');
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...type, ...proof, ...headers },
      agent: isTls ? this.#agents.https : this.#agents.http,
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? requestHttps : requestHttp)(url, options, (response) => {
        clearTimeout(late);
        mayRepeat = false;
        resolve(response);
      });
      let mayRepeat = isFirst;
      const late = setTimeout(() => {
        mayRepeat = false;
        request.destroy(new Error('no answer in time'));
      }, TIMEOUT_MS).unref();
      request.on('socket', (socket) => {
        unrefOnceConnected(socket);
        onSend?.();
        if (onSend && socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', onSend);
      });
      request.on('error', (error) => {
        clearTimeout(late);
        if (mayRepeat && request.reusedSocket) resolve(this.#send(url, sending, false));
        else reject(connectionFault(error, url));
      });
      request.end(body);
    });
  }
}

/** Not earlier: each address of a host that is tried has a handle of its own. */
function unrefOnceConnected(socket: Socket): void {
  if (socket.connecting) socket.once('connect', () => socket.unref());
  else socket.unref();
}

/** The certificate is not trusted, or is for another name. */
const OF_CERTIFICATE = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function connectionFault(error: NodeJS.ErrnoException, url: string): Error {
  const what = `${url}: ${error.message || error.code || 'no connection'}`;
  if (!OF_CERTIFICATE.test(error.code ?? '')) return new Unavailable(what);
  return new Misconfigured(`${what}. If its CA is private, name it: the option \`ca\`, or NODE_EXTRA_CA_CERTS=ca.pem`);
}

function feedFault(status: number, url: string): Error {
  return status === 410 ? new CursorGone() : faultOf(status, url);
}

function faultOf(status: number, url: string): Error {
  const what = `${url} answered ${status}`;
  if (status === 401) return new Misconfigured(`${what}. ${CHECK_SECRET}`);
  // Also what an ingress says while the service behind it is away.
  return new Unavailable(status === 404 ? `${what}. If this lasts: check issuer, or ask the operator` : what);
}

const CHECK_SECRET =
  'Check resourceServer.id and resourceServer.secret; `tessera resource-server secret ID` makes a new secret';

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const late = setTimeout(() => response.destroy(new Error('no answer in time')), TIMEOUT_MS).unref();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > MOST_BYTES) throw new Error('the answer is too large');
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw new Unavailable((error as Error).message);
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString('utf8');
}
