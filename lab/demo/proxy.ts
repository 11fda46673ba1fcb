// A network that loses answers. It forwards every request to the server, reads the whole answer, and then decides by the seed
// what the client gets. It also remembers which refresh tokens the server gave out for which.
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../test/seeded.ts';

const FATES = {
  passed: 'the client gets the answer',
  dropped: 'the server has answered, the connection closes without a byte of it',
  cut: 'the connection closes in the middle of the answer',
  held: 'the answer comes after the client has given up and sent the request again',
  doubled: 'the request is sent twice at once, as by a proxy that retries',
  refused: 'the connection closes before the server gets the request',
  down: 'the server does not answer, because it was killed',
} as const;
export type Fate = keyof typeof FATES;

/** Of 100 requests. */
const ODDS: readonly Fate[] = [
  ...Array<Fate>(6).fill('dropped'),
  ...Array<Fate>(3).fill('cut'),
  ...Array<Fate>(3).fill('held'),
  ...Array<Fate>(3).fill('doubled'),
  ...Array<Fate>(5).fill('refused'),
  ...Array<Fate>(80).fill('passed'),
];
/** Longer than clients wait. */
const HELD_MS = 5500;

interface Answer {
  readonly status: number;
  readonly body: string;
}

export class LosingProxy {
  readonly counts: Record<Fate, number> = { passed: 0, dropped: 0, cut: 0, held: 0, doubled: 0, refused: 0, down: 0 };
  /** Every pair that the server gave out, by the refresh token presented for it. */
  readonly successors = new Map<string, Map<string, string>>();
  readonly #seed: number;
  readonly #target: () => number;
  readonly #turns = new Map<string, Seeded>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  isCalm = false;

  /** `target`: the port of the server, which changes. */
  constructor(seed: number, target: () => number) {
    this.#seed = seed;
    this.#target = target;
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const fate = this.#fateOf(String(request.headers['x-client']));
    if (fate === 'refused') return this.#end(response, fate);
    const attempts = Array.from({ length: fate === 'doubled' ? 2 : 1 }, () => this.#forward(request, body));
    const [answer] = await Promise.all(attempts);
    if (!answer || fate === 'dropped') return this.#end(response, answer ? fate : 'down');
    this.counts[fate]++;
    if (fate === 'held') await pause(HELD_MS);
    reply(response, answer, fate === 'cut');
  }

  #end(response: ServerResponse, fate: Fate): void {
    this.counts[fate]++;
    response.destroy();
  }

  /** The n-th request of a client has the same fate at every server. */
  #fateOf(client: string): Fate {
    if (this.isCalm) return 'passed';
    const turns = this.#turns.get(client) ?? new Seeded(this.#seed * 1000 + Number(client));
    this.#turns.set(client, turns);
    return turns.pick(ODDS);
  }

  async #forward(request: IncomingMessage, body: string): Promise<Answer | undefined> {
    const answer = await send(this.#target(), request.url ?? '/', body, { patienceMs: 30_000 }).catch(() => undefined);
    if (answer?.status === 200) this.#remember(new URLSearchParams(body).get('refresh_token'), answer.body);
    return answer;
  }

  #remember(presented: string | null, body: string): void {
    if (presented === null) return;
    const { access_token, refresh_token } = JSON.parse(body) as Record<string, string>;
    const known = this.successors.get(presented) ?? new Map<string, string>();
    known.set(refresh_token ?? '', access_token ?? '');
    this.successors.set(presented, known);
  }
}

interface Sending {
  readonly patienceMs: number;
  readonly client?: string;
}

/** A form, posted over a new connection. */
export function send(port: number, path: string, body: string, { patienceMs, client }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client !== undefined && { 'x-client': client }),
    };
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent: false, headers };
    const request = requestHttp(options, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
    });
    request.setTimeout(patienceMs, () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.end(body);
  });
}

function reply(response: ServerResponse, { status, body }: Answer, isCut: boolean): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-length': Buffer.byteLength(body) });
  if (!isCut) return void response.end(body);
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
