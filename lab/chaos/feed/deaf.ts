// Followers that do not read: the service must not keep their entries, and must serve others as before.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { integrations } from '../../../src/store/tables/registry.ts';
import { systemClock } from '../../../src/system.ts';
import { VERIFY } from '../../../test/e2e/steps.ts';
import { percentile } from '../drill-nodes.ts';
import type { FeedField } from './feed-field.ts';

export interface DeafFigures {
  readonly followers: number;
  readonly entries: number;
  /** Physical memory of all processes of the service, in MiB. */
  readonly before: number;
  readonly connected: number;
  readonly during: number;
  /** How many were cut. */
  readonly cut: number;
  /** Milliseconds of a request: without these followers, and while entries are sent. */
  readonly p99Alone: number;
  readonly p99: number;
  readonly failed: number;
}

/** The kernel buffers a few megabytes for a connection that is not read: more than that must be sent. */
const STEP = 2_000;
const CUT_WITHIN_MS = 15_000;

export async function ignoreFeed(field: FeedField, followers: number, entries: number): Promise<DeafFigures> {
  field.closeGuards(); // they would slow down the requests of this process
  const before = memoryOf(field.pids);
  const alone = askMeanwhile(field);
  await pause(2_000);
  const p99Alone = percentile((await alone()).latencies, 0.99);
  const cursor = await cursorOf(field);
  const sockets: TLSSocket[] = [];
  while (sockets.length < followers)
    sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => deafFollower(field, cursor)))));
  const connected = memoryOf(field.pids);
  const asking = askMeanwhile(field);
  for (let sent = 0; sent < entries; sent += STEP) {
    await sendEntries(field, sent);
    await pause(300);
  }
  await pause(CUT_WITHIN_MS);
  const during = memoryOf(field.pids);
  const { latencies, failed } = await asking();
  const cut = await countCut(sockets);
  return {
    followers: sockets.length,
    entries,
    before,
    connected,
    during,
    cut,
    p99Alone,
    p99: percentile(latencies, 0.99),
    failed,
  };
}

async function cursorOf({ caller, options }: FeedField): Promise<string> {
  const answer = await caller.ask({
    path: '/oauth2/revocations',
    headers: { authorization: basicOf(options.resourceServer) },
  });
  return String(answer.json['cursor']);
}

function basicOf({ id, secret }: { readonly id: string; readonly secret: string }): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

function deafFollower({ options, balancer }: FeedField, cursor: string): Promise<TLSSocket> {
  const { targets } = balancer;
  const port = targets[Math.floor(Math.random() * targets.length)] ?? 0;
  const lines = ['GET /oauth2/revocations HTTP/1.1', 'Host: localhost', 'Accept: text/event-stream'];
  const head = [...lines, `Authorization: ${basicOf(options.resourceServer)}`, `Last-Event-ID: ${cursor}`, '', ''].join(
    '\r\n',
  );
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: options.ca }, () =>
      socket.write(head),
    );
    socket.once('error', reject);
    socket.once('readable', () => {
      socket.removeListener('error', reject);
      socket.on('error', () => undefined);
      resolve(socket); // nothing is read from now on
    });
  });
}

/** Events of grants that never existed: the service sends them like any other. */
async function sendEntries({ store }: FeedField, first: number): Promise<void> {
  const events = Array.from({ length: STEP }, (_, n) => ({
    type: 'revoked' as const,
    at: systemClock.now(),
    subjectId: (first + n).toString(16).padStart(32, 'd'),
  }));
  await store.change(integrations, 'none', () => ({ outcome: undefined, events }));
}

function askMeanwhile({ caller }: FeedField): () => Promise<{ latencies: number[]; failed: number }> {
  const latencies: number[] = [];
  let failed = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const began = performance.now();
      const answer = await caller.ask({ path: VERIFY }).catch(() => undefined);
      if (answer?.status !== 401) failed += 1;
      latencies.push(performance.now() - began);
      await pause(10);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return { latencies, failed };
  };
}

/** Reading to the end shows which the service has ended. */
async function countCut(sockets: readonly TLSSocket[]): Promise<number> {
  let cut = 0;
  for (const socket of sockets) {
    socket.once('close', () => (cut += 1));
    socket.resume();
  }
  await pause(3_000);
  const ended = cut;
  for (const socket of sockets) socket.destroy();
  return ended;
}

function memoryOf(pids: readonly number[]): number {
  const all = pids.flatMap((pid) => [pid, ...childrenOf(pid)]);
  const kib = all.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0));
  return Math.round(kib.reduce((sum, each) => sum + each, 0) / 1024);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}
