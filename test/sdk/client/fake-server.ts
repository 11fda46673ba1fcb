// A token server whose answers a test decides. It rotates refresh tokens as the service does: R1, R2, …
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Asked {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
}

/** What to do instead of a good answer: a status with a body, or nothing at all. */
export type Instead =
  | { readonly status: number; readonly body?: object | string; readonly headers?: Record<string, string> }
  | 'drop before' // closes the connection without rotating
  | 'drop after'; // rotates, then closes the connection

export interface FakeServer {
  readonly url: string;
  readonly asked: Asked[];
  /** The answers to the next token requests; good ones when it is empty. */
  readonly next: Instead[];
  /** Told when a request arrives. */
  watch: (step: 'asked for metadata' | 'asked for a token') => void;
  /** A slow server. */
  metadataAfterMs: number;
  /** The answer to a device authorization request. */
  device: object;
  /** Seconds. */
  lifetime: number;
  /** The generation of the last pair. */
  generation: number;
  /** Refresh tokens that were presented. */
  presented(): string[];
  stop(): Promise<void>;
}

export async function startFake(t: TestContext): Promise<FakeServer> {
  const server = createServer((request, response) => void answer(request, response));
  const fake: FakeServer = {
    url: '',
    asked: [],
    next: [],
    watch: () => {},
    metadataAfterMs: 0,
    device: {},
    lifetime: 600,
    generation: 0,
    presented: () => fake.asked.map(({ form }) => form['refresh_token'] ?? '').filter(Boolean),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => server.close());

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: object | string, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/')) {
      fake.watch('asked for metadata');
      await new Promise((resolve) => setTimeout(resolve, fake.metadataAfterMs));
      return void reply(200, metadataOf(url));
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    fake.asked.push({ path, form: Object.fromEntries(new URLSearchParams(text)) });
    if (path === '/revoke') return void reply(200, {});
    if (path === '/device') return void reply(200, fake.device);
    fake.watch('asked for a token');
    const instead = fake.next.shift();
    if (instead === 'drop before') return void request.socket.destroy();
    if (typeof instead === 'object') return void reply(instead.status, instead.body ?? {}, instead.headers);
    rotate(fake);
    if (instead === 'drop after') return void request.socket.destroy();
    reply(200, pairOf(fake));
  }
  return Object.assign(fake, { url });
}

/** A request with the last spent token gets the same pair again. */
function rotate(fake: FakeServer): void {
  const presented = fake.asked.at(-1)?.form['refresh_token'];
  if (presented !== `R${fake.generation - 1}`) fake.generation++;
}

function pairOf({ generation, lifetime }: FakeServer): object {
  return {
    access_token: `A${generation}`,
    refresh_token: `R${generation}`,
    token_type: 'Bearer',
    expires_in: lifetime,
    refresh_token_expires_in: 86_400,
    scope: 'orders:read',
  };
}

function metadataOf(url: string): object {
  return {
    issuer: url,
    token_endpoint: `${url}/token`,
    device_authorization_endpoint: `${url}/device`,
    revocation_endpoint: `${url}/revoke`,
  };
}
