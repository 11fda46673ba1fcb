// The front alone, with real TLS and sockets: `/work` waits until the test lets it go on, `/now` replies at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { answerJson, exchangeOf } from '../../src/doors/http/answers.ts';
import { NEUTRAL_REPLIES } from '../../src/doors/http/refusal-replies.ts';
import type { Census } from '../../src/front/admission.ts';
import { type AppOptions, makeApp } from '../../src/front/app.ts';
import type { Limits } from '../../src/front/limits.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';
import { eventually } from '../eventually.ts';

const authority = makeAuthority();
const { chain, key } = authority.issue({
  commonName: 'localhost',
  dnsNames: ['localhost'],
  usages: ['1.3.6.1.5.5.7.3.1'],
});
export const CA = authority.pem;
const certificate = chain.map((der) => writePem(der)).join('');

const BIG = Buffer.alloc(1024 * 1024, 'x').toString();
const NOTHING: Census = { held: 0, living: 0, orphaned: 0 };

/** Like the defaults of the configuration. */
const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  bodyBytes: 64 * 1024,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 65_000,
  stopTimeoutMs: 20_000,
  drainIdleMs: 0,
  connections: 10_000,
  inFlight: 1_000,
  eventStreams: 1_000,
  eventStreamsOfOne: () => 500,
  addressShare: 100,
  networkShare: 100,
};

export interface Front {
  readonly port: number;
  /** How many requests reached a handler, and the outcomes of those that ended. */
  readonly seen: { handled: number; readonly outcomes: string[] };
  readonly census: () => Census;
  readonly connections: () => number;
  /** Lets the work in progress, and all that follows, go on. */
  readonly goOn: () => void;
  /** Requests that wait in `/work`. */
  readonly waiting: () => number;
  readonly stop: () => Promise<void>;
  /** All is as if nobody had ever called: no slot, stream or monitoring slot is lost. */
  readonly assertNothingHeld: () => Promise<void>;
}

export async function openFront(
  t: Pick<TestContext, 'after'>,
  limits: Partial<Limits> = {},
  options: Partial<AppOptions> & {
    readonly plain?: boolean;
    readonly host?: string;
    readonly thrown?: () => unknown;
  } = {},
): Promise<Front> {
  const waiting = new Set<() => void>();
  const seen: Front['seen'] = { handled: 0, outcomes: [] };
  const { plain, host = '127.0.0.1', thrown, ...others } = options;
  const app = makeApp({
    limits: { ...LIMITS, ...limits },
    tls: plain ? undefined : { certificate, key, clientCertificates: 'off', issuers: [] },
    proxies: [],
    requestId: () => 'an-id',
    begin: () => undefined,
    onAnswered: (_request, _reply, { outcome }) => void seen.outcomes.push(outcome),
    onFault: (_request, fault) => assert.fail(String(fault)),
    repliesAt: () => NEUTRAL_REPLIES,
    isMonitoring: (url) => url === '/healthz',
    overLimit: () => undefined,
    ...others,
  });
  let isFree = false;
  const work = () => (isFree ? undefined : new Promise<void>((resolve) => waiting.add(resolve)));
  app.fastify.route({
    method: ['GET', 'POST', 'HEAD'],
    url: '/work',
    handler: async () => {
      seen.handled += 1;
      await work();
      return 'done';
    },
  });
  app.fastify.route({ method: ['GET', 'POST', 'HEAD'], url: '/now', handler: async () => 'now' });
  // As doors answer from memory: before this function returns, past fastify.
  app.fastify.get('/at-once', (_request, reply) => {
    seen.handled += 1;
    answerJson(reply, '{}');
  });
  app.fastify.get('/throws', () => Promise.reject(thrown?.()));
  app.fastify.get('/big', async () => BIG);
  app.fastify.get('/healthz', async () => 'well');
  let followers = 0;
  app.fastify.get('/events', (request, reply) => {
    const follower = request.headers['x-follower'] ?? String(followers++);
    const refusal = exchangeOf(reply.raw)?.keepStreaming(() => reply.raw.end(), String(follower));
    if (refusal) return void reply.code(refusal === 'overloaded' ? 503 : 429).send(refusal);
    reply.hijack();
    if (!reply.raw.writableEnded) reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
  });
  await app.fastify.listen({ host, port: 0 });
  const { port } = app.fastify.server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.drain();
    return stopped;
  };
  const goOn = () => {
    isFree = true;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  t.after(async () => {
    goOn();
    await stop();
    assert.deepEqual(app.census(), NOTHING, 'no slot outlives the server');
    await eventually('no connection outlives the server', () => app.connections() === 0);
  });
  return {
    ...{ port, seen, goOn, stop },
    census: () => app.census(),
    connections: () => app.connections(),
    waiting: () => waiting.size,
    assertNothingHeld: async () => {
      await eventually('all slots are free', () => app.census().held === 0);
      assert.deepEqual(app.census(), NOTHING);
    },
  };
}

export function http2To({ port }: Front, options: object = {}): ClientHttp2Session {
  const tls = { ca: CA, servername: 'localhost' };
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ...tls, ...options });
  return session.on('error', () => undefined);
}

/** The status of the answer, then the stream stays open if the request does. */
export async function statusOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => undefined).resume();
  const [headers] = await once(stream, 'response');
  return headers[':status'];
}

/** A connection of HTTP/1.1 that keeps what it received. */
export interface Raw {
  readonly socket: TLSSocket;
  readonly text: () => string;
  readonly statuses: () => number[];
  readonly isClosed: () => boolean;
}

/** `from`: an address in 127.0.0.0/8, all of which are this machine. */
export async function http1To({ port }: Front, from = '127.0.0.1'): Promise<Raw> {
  const socket = connectTls({
    ...{ host: '127.0.0.1', port, localAddress: from, servername: 'localhost' },
    ...{ ca: CA, ALPNProtocols: ['http/1.1'] },
  });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk));
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
  const text = () => Buffer.concat(chunks).toString('latin1');
  const statuses = () => [...text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { socket, text, statuses, isClosed: () => isClosed };
}

export function requestTo(path: string, method = 'GET', more = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
}

/** One request on a connection of its own. */
export async function ask(front: Front, path: string, { from = '127.0.0.1', headers = '' } = {}): Promise<number> {
  const caller = await http1To(front, from);
  caller.socket.write(requestTo(path, 'GET', `Connection: close\r\n${headers}`));
  await eventually(`an answer to ${path}`, caller.isClosed);
  return caller.statuses()[0] ?? 0;
}
