// What a verifier sees of the service, in one process: each part can be taken away.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { VerifierOptions } from '../../../sdk/verify/src/verify.ts';

export type Part = 'keys' | 'feed' | 'introspection';

const AUDIENCE = 'https://orders.example';

export class FakeService {
  /** Parts that answer 503. */
  readonly away = new Set<Part>();
  readonly active = new Map<string, object>();
  readonly entries: object[] = [];
  /** Paths that answer otherwise. */
  readonly instead = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>();
  /** Whether streams say that they have caught up. Services before 0.3 do not. */
  isComplete = true;
  /** What is registered: the integration of the tokens, and what the snapshot says about this resource server. */
  readonly integration = {
    type: 'integration',
    client_id: 'orders-sync',
    enabled: true,
    scope: 'orders:read orders:write',
  };
  audience: string | undefined = AUDIENCE;
  /** Whether a stream sends what its follower has missed. */
  backlog = true;
  /** Seconds that pass on the verifier's clock while a stream opens. */
  openSlowly = 0;
  /** How many streams were opened. */
  streams = 0;
  introspections = 0;
  snapshots = 0;
  keyRequests = 0;
  /** In seconds; the verifier's clock. */
  now = 1_800_000_000;
  #server: Server;
  /** And when each began. */
  #streams = new Map<ServerResponse, number>();
  #keys = new Map<string, { readonly secret: CryptoKey; readonly jwk: object }>();
  #signing = '';
  #sequence = 0;
  #opaque = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FakeService> {
    const fake = new FakeService();
    await fake.listen(0);
    await fake.rotate('first');
    return fake;
  }

  listen(port = this.#port): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  get #port(): number {
    return this.#lastPort || ((this.#server.address() as AddressInfo | null)?.port ?? 0);
  }
  #lastPort = 0;

  get options(): VerifierOptions {
    const resourceServer = { id: 'orders-api', secret: 'tsc_secret', audience: AUDIENCE };
    return { issuer: this.issuer, resourceServer, now: () => this.now * 1000 };
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A new key signs from now on; it is published at once. */
  async rotate(kid: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    this.#keys.set(kid, {
      secret: privateKey,
      jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    });
    this.#signing = kid;
  }

  removeKey(kid: string): void {
    this.#keys.delete(kid);
  }

  async jwt(claims: object = {}, header: object = {}): Promise<string> {
    const key = this.#keys.get(this.#signing);
    if (!key) throw new Error('there is no key');
    const token = await new SignJWT({ ...this.#claims(), aud: AUDIENCE, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: this.#signing, ...header })
      .sign(key.secret);
    this.active.set(token, { ...this.#claims(), ...claims });
    return token;
  }

  opaque(claims: object = {}): string {
    this.#opaque += 1;
    const token = `tsa_${this.#opaque}`;
    this.active.set(token, { ...this.#claims(), ...claims });
    return token;
  }

  /** Streams an entry, and keeps it for snapshots. */
  tell(entry: object): void {
    this.entries.push(entry);
    this.#sequence += 1;
    for (const stream of this.#streams.keys())
      stream.write(`id: c${this.#sequence}\ndata: ${JSON.stringify(entry)}\n\n`);
  }

  /** Sends a text to every follower as it is. */
  write(text: string): void {
    for (const stream of this.#streams.keys()) stream.write(text);
  }

  showLife(): void {
    this.write(':\n\n');
  }

  /** Says on every stream that all was sent until `at`, in seconds. */
  catchUp(at = this.now): void {
    for (const [stream, began] of this.#streams) stream.write(caughtUp((at - began) * 1000));
  }

  get followers(): number {
    return this.#streams.size;
  }

  cutStreams(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }

  /** Nothing listens any more; `listen` brings it back. */
  async leave(): Promise<void> {
    this.#lastPort = this.#port;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #claims() {
    return {
      iss: this.issuer,
      sub: 'local:ada',
      client_id: 'orders-sync',
      scope: 'orders:read',
      iat: this.now,
      exp: this.now + 600,
      jti: '018f.0',
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.issuer);
    const send = (body: object, status = 200) => response.writeHead(status).end(JSON.stringify(body));
    const instead = this.instead.get(pathname);
    const method = pathname === '/introspection' ? 'POST' : 'GET';
    if (instead) instead(response, request);
    else if (request.method !== method) send({}, 405);
    else if (pathname.startsWith('/.well-known/')) send(this.#metadata());
    else if (this.away.has(pathname.slice(1) as Part)) send({}, 503);
    else if (pathname === '/keys') this.#sendKeys(send);
    else if (pathname === '/introspection') send(await this.#introspect(request));
    else if (request.headers.accept === 'text/event-stream') this.#stream(request, response);
    else this.#snapshot(send);
  }

  #metadata() {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}/keys`,
      introspection_endpoint: `${this.issuer}/introspection`,
      revocation_feed_endpoint: `${this.issuer}/feed`,
    };
  }

  #sendKeys(send: (body: object) => void): void {
    this.keyRequests += 1;
    send({ keys: [...this.#keys.values()].map(({ jwk }) => jwk) });
  }

  async #introspect(request: IncomingMessage): Promise<object> {
    this.introspections += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const found = this.active.get(new URLSearchParams(Buffer.concat(chunks).toString()).get('token') ?? '');
    return found ? { active: true, ...found } : { active: false };
  }

  #snapshot(send: (body: object) => void): void {
    this.snapshots += 1;
    const { audience, entries } = this;
    send({ cursor: `c${this.#sequence}`, audience, entries: [this.integration, ...entries] });
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const after = Number(String(request.headers['last-event-id']).slice(1));
    if (after > this.#sequence) return void response.writeHead(410).end();
    this.streams += 1;
    this.now += this.openSlowly;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\n\n');
    for (const [index, entry] of this.entries.entries())
      if (index >= after && this.backlog) response.write(`id: c${index + 1}\ndata: ${JSON.stringify(entry)}\n\n`);
    if (this.isComplete) response.write(caughtUp(0));
    this.#streams.set(response, this.now);
    response.once('close', () => this.#streams.delete(response));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  /** A store that was put back to an older state. */
  forget(): void {
    this.entries.length = 0;
    this.#sequence = 0;
    this.cutStreams();
  }
}

function caughtUp(until: number): string {
  return `event: caught-up\ndata: {"type":"caught-up","until":${until}}\n\n`;
}
