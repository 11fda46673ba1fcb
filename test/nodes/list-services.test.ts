// Revocation lists of whole services: on PostgreSQL, in processes that are killed, among workers.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { composeService } from '../../src/compose/service.ts';
import { makeLog } from '../../src/log/log.ts';
import { openStore } from '../../src/open-store.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { systemClock } from '../../src/system.ts';
import type { Issued } from '../authority.ts';
import { type Answer, type Caller, callerOver, json } from '../e2e/caller.ts';
import { type ServiceProcess, startProcess } from '../e2e/process.ts';
import { type Home, makeHome, populate } from '../e2e/service.ts';
import { CERTIFICATE, CLIENT, pairByCertificate, verify } from '../e2e/steps.ts';
import { eventually } from '../eventually.ts';
import { type ListServer, listServer } from '../list-server.ts';
import { TestClock } from '../node.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { type ListNode, listNode } from './list-nodes.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const DAY = 86_400;

interface Scene {
  readonly home: Home;
  readonly server: ListServer;
  readonly ada: Issued;
  /** The list as of now, good for ten days. */
  readonly list: (...revoked: readonly Issued[]) => Uint8Array;
  /** A caller with ada's certificate at a port of the service. */
  readonly callerAt: (port: number) => Caller;
  /** Called after the test, before the folder is removed. */
  readonly ends: (() => unknown)[];
}

async function scene(t: TestContext, settings: Record<string, unknown> = {}): Promise<Scene> {
  const home = makeHome({ settings: { limits: { stopTimeout: '1s' }, ...settings } });
  const { authority } = home;
  const list = (...revoked: readonly Issued[]) =>
    authority.crl({ thisUpdate: inDays(0), nextUpdate: inDays(10), revoked: revoked.map(({ serial }) => serial) });
  const server = await listServer(list());
  const store = await openStore(home.config, 'init');
  const allowedAddresses = ['127.0.0.1'];
  const revocation = { crl: 'required', ocsp: 'off', crlFiles: [], allowedAddresses, endGrants: true } as const;
  await populate(store, authority, [{ revocation }]);
  await store.close();
  const ends: (() => unknown)[] = [() => server.close()];
  t.after(async () => {
    await Promise.all(ends.map((end) => end()));
    rmSync(home.folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const ada = authority.issue({ commonName: 'ada', extensions: [server.point] });
  const callerAt = (port: number) => {
    const caller = callerOver('HTTP/1.1', { port, ca: authority.pem, certificate: ada });
    ends.push(() => caller.close());
    return caller;
  };
  return { home, server, ada, list, callerAt, ends };
}

function inDays(days: number): string {
  return `${new Date(Date.now() + days * DAY * 1000).toISOString().slice(0, 19)}Z`;
}

function ask(caller: Caller): Promise<Answer> {
  return caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
}

async function startHere(t: TestContext, { config, keyring }: Home): Promise<number> {
  const log = makeLog({
    ...config.log,
    milliseconds: systemClock.milliseconds,
    destination: { write: () => undefined },
  });
  const service = await composeService(config, await openStore(config, 'service'), keyring, log);
  t.after(() => service.stop());
  const [url = ''] = await service.listen();
  return Number(new URL(url).port);
}

test('a new list is in force on all three services, and ends grants', async (t) => {
  await using database = await postgresDatabase();
  const { home, server, ada, list, callerAt } = await scene(t, { store: database.url });
  const ports = [await startHere(t, home), await startHere(t, home), await startHere(t, home)];
  const callers = ports.map(callerAt);
  const pairs = await Promise.all(callers.map((caller) => pairByCertificate(caller)));
  assert.equal(server.requests, 1);

  // Its clock is ahead: the list is due for this node only.
  const fetcher = await listNode(database, new TestClock(Date.now() / 1000 + 9 * DAY), await approved(home));
  await fetcher.follow();
  server.serve = list(ada);
  await renew(fetcher);
  const fetchedAt = performance.now();
  const isRefused = async (caller: Caller) => (await ask(caller)).status === 401;
  for (const caller of callers) await eventually('the certificate is refused', () => isRefused(caller));
  t.diagnostic(`in force after ${Math.round(performance.now() - fetchedAt)} ms`);
  assert.equal(server.requests, 2);
  const isEnded = async (token: string) => (await verify(callers[0] as Caller, token)).status === 401;
  for (const { access_token } of pairs) await eventually('the token is refused', () => isEnded(access_token));
});

async function approved({ config }: Home) {
  const store = await openStore(config, 'command');
  try {
    return await store.page(issuers, { limit: 10 });
  } finally {
    await store.close();
  }
}

async function renew(node: ListNode): Promise<void> {
  const before = node.judge.revocation.lists;
  await node.renew();
  await eventually('the node has the list', () => node.judge.revocation.lists !== before);
}

test('another node takes over from a node killed during a fetch, and a restarted node fetches nothing', async (t) => {
  const { home, server, list, callerAt, ends } = await scene(t);
  const start = async (): Promise<ServiceProcess> => {
    const started = await startProcess(home);
    ends.push(() => started.kill());
    return started;
  };
  const [first, second] = [await start(), await start()];
  server.serve = 'silence';
  const unanswered = ask(callerAt(first.port)).catch(() => undefined);
  await eventually('the list is requested', () => server.requests > 0);
  const waiting = ask(callerAt(second.port));
  await first.kill();
  await unanswered;
  server.serve = list();
  assert.equal((await waiting).status, 200, 'who waited for the first is served by the second');
  assert.equal(server.requests, 2);
  assert.equal((await ask(callerAt((await start()).port))).status, 200);
  assert.equal(server.requests, 2);
});

test('only one worker of a machine fetches', async (t) => {
  const { home, server, callerAt, ends } = await scene(t);
  const ports = await portsOfWorkers(ends, home, 3);
  assert.equal(new Set(ports).size, 3, 'each can be asked by itself');
  const answers = await Promise.all([...ports, ...ports].map((port) => ask(callerAt(port))));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(server.requests, 1);
});

/** Workers share a fixed port; with port 0 each gets its own. */
async function portsOfWorkers(ends: Scene['ends'], { configFile }: Home, count: number): Promise<number[]> {
  const args = [MAIN, '--config', configFile, 'serve', '--workers', String(count)];
  const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  ends.push(() => supervisor.kill('SIGKILL'));
  const ports: number[] = [];
  for await (const line of createInterface({ input: supervisor.stdout })) {
    const { msg, addresses } = JSON.parse(line) as { msg: string; addresses: readonly string[] };
    if (msg === 'ready') ports.push(Number(new URL(addresses[0] ?? '').port));
    if (ports.length === count) break;
  }
  return ports;
}
