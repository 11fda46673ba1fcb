// Killed workers and supervisors: callers are served by the rest, and nothing acknowledged is lost.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Caller, callerOver } from './caller.ts';
import { type Home, populatedHome } from './service.ts';
import { type Pair, pairByCertificate, refresh, refreshed, verify } from './steps.ts';
import { removeAfter, serveWithWorkers, workersOf } from './supervised.ts';

/** A zombie (Z) counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Callers that refresh without pause, each on its own connection, so that every worker has some of them. */
interface Load {
  /** The pairs each caller received, in order. */
  readonly received: readonly Pair[][];
  /** Callers whose connection was cut at least once; they retry on a new one. */
  readonly cut: ReadonlySet<Caller>;
  /** Waits for a condition of the load; fails if an answer was not a pair meanwhile. */
  until(isMet: () => boolean): Promise<void>;
  /** Fails if any answer was not a pair. */
  end(): Promise<void>;
}

const CALLERS = 16;

async function startLoad(t: TestContext, port: number, home: Home): Promise<Load> {
  const certificate = home.authority.issue({ commonName: 'ada' });
  const callers = Array.from({ length: CALLERS }, () =>
    callerOver('HTTP/1.1', { port, ca: home.authority.pem, certificate }),
  );
  t.after(() => callers.map((caller) => caller.close()));
  const received = await Promise.all(callers.map(async (caller) => [await pairByCertificate(caller)]));
  const cut = new Set<Caller>();
  let isOver = false;
  const work = async (caller: Caller, pairs: Pair[]) => {
    while (!isOver) {
      const answer = await refresh(caller, pairs.at(-1)?.refresh_token ?? '').catch(() => undefined);
      if (answer) {
        assert.equal(answer.status, 200, answer.text);
        pairs.push(answer.json as unknown as Pair);
      } else {
        cut.add(caller);
        await pause(20);
      }
    }
  };
  const working = Promise.all(callers.map((caller, at) => work(caller, received[at] ?? [])));
  working.catch(() => undefined); // reported by `until` and `end`
  const end = async () => {
    isOver = true;
    await working;
  };
  t.after(() => end().catch(() => undefined));
  const until = async (isMet: () => boolean) => {
    while (!isMet()) await Promise.race([working, pause(20)]);
  };
  return { received, cut, until, end };
}

/** How often the service has told the watchdog that it lives. A program in the place of systemd-notify notes it. */
function watchdogTold(t: TestContext): () => number {
  const folder = temporaryFolder('watchdog');
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >>${notes}\n`, { mode: 0o755 });
  const { PATH } = process.env;
  Object.assign(process.env, { PATH: `${folder}:${PATH}`, NOTIFY_SOCKET: '/run/none', WATCHDOG_USEC: '400000' });
  t.after(() => {
    process.env['PATH'] = PATH;
    delete process.env['NOTIFY_SOCKET'];
    delete process.env['WATCHDOG_USEC'];
    rmSync(folder, { recursive: true });
  });
  return () => readFileSync(notes, 'utf8').split('WATCHDOG=1').length - 1;
}

async function homeAtPort(t: TestContext): Promise<{ home: Home; port: number }> {
  const port = await freePort(); // workers share only a fixed port
  const home = await populatedHome({ listeners: [{ tls: true, port }] });
  removeAfter(t, home);
  return { home, port };
}

/** Each caller has received this many pairs more than it had. */
function served({ received }: Load, more: number): () => boolean {
  const before = received.map(({ length }) => length);
  return () => received.every(({ length }, at) => length >= (before[at] ?? 0) + more);
}

test('a worker killed with -9 under load: the other workers serve its callers', async (t) => {
  const { home, port } = await homeAtPort(t);
  const { supervisor, said } = serveWithWorkers(t, home);
  await said('ready', 2);
  const load = await startLoad(t, port, home);
  await load.until(served(load, 3));
  process.kill(workersOf(supervisor)[0] ?? 0, 'SIGKILL');
  await load.until(() => load.cut.size > 0);
  await load.until(served(load, 3));
  await load.end();
});

test('a worker that hangs is killed and replaced; the watchdog of systemd does not restart them all meanwhile', async (t) => {
  const { home, port } = await homeAtPort(t);
  const told = watchdogTold(t);
  const { supervisor, said } = serveWithWorkers(t, home);
  await said('ready', 2);
  const [hung = 0, other = 0] = workersOf(supervisor);
  process.kill(hung, 'SIGSTOP');
  const before = told();
  await eventually('the watchdog is told that the service lives', () => told() > before + 2);
  assert.equal(isAlive(hung), true, 'told while the worker hangs, not when it was replaced');
  process.kill(other, 'SIGSTOP');
  await pause(6_000); // what was asked before is answered or given up
  const silent = told();
  await pause(2_000);
  assert.equal(told(), silent, 'it is not told so if no worker replies');
  process.kill(other, 'SIGCONT');
  const [line = ''] = await said('a worker does not reply and is killed', 1);
  assert.equal(JSON.parse(line).pid, hung);
  await said('ready', 3);
  assert.equal(isAlive(hung), false);
  for (let n = 0; n < 10; n++) {
    const caller = callerOver('HTTP/1.1', { port, ca: home.authority.pem });
    assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
    caller.close();
  }
});

test('a supervisor killed with -9 under load: its workers end, and nothing acknowledged is lost', async (t) => {
  const { home, port } = await homeAtPort(t);
  const killed = serveWithWorkers(t, home);
  await killed.said('ready', 2);
  const load = await startLoad(t, port, home);
  await load.until(served(load, 3));
  const workers = workersOf(killed.supervisor);
  killed.supervisor.kill('SIGKILL');
  await eventually('its workers end', () => !workers.some(isAlive));
  await load.until(() => load.cut.size === CALLERS);
  await load.end();

  await serveWithWorkers(t, home).said('ready', 2);
  const caller = callerOver('HTTP/1.1', { port, ca: home.authority.pem });
  t.after(() => caller.close());
  for (const pairs of load.received) {
    const last = pairs.at(-1) as Pair;
    assert.equal((await verify(caller, last.access_token)).status, 200);
    await refreshed(caller, last);
  }
});

test('a supervisor that was stopped while a worker died goes on, and replaces it', async (t) => {
  const { home, port } = await homeAtPort(t);
  const { supervisor, said } = serveWithWorkers(t, home);
  await said('ready', 2);
  const [first = 0] = workersOf(supervisor);
  process.kill(supervisor.pid ?? 0, 'SIGSTOP');
  await pause(6_000); // it asks its workers every five seconds: the next time before it sees that one has died
  process.kill(first, 'SIGKILL');
  await pause(500);
  process.kill(supervisor.pid ?? 0, 'SIGCONT');
  await said('ready', 3);
  const caller = callerOver('HTTP/1.1', {
    port,
    ca: home.authority.pem,
    certificate: home.authority.issue({ commonName: 'ada' }),
  });
  t.after(() => caller.close());
  await pairByCertificate(caller);
});

test('a worker that is replaced is of the release of its supervisor, wherever the link leads by then', async (t) => {
  const { home } = await homeAtPort(t);
  const folder = temporaryFolder('releases');
  const [link, release] = [join(folder, 'current'), join(import.meta.dirname, '../..')];
  symlinkSync(release, link);
  const { supervisor, said } = serveWithWorkers(t, { ...home, main: join(link, 'src/cli/main.ts') });
  removeAfter(t, { folder });
  await said('ready', 2);
  rmSync(link);
  symlinkSync('/nowhere', link);
  const [killed = 0] = workersOf(supervisor);
  process.kill(killed, 'SIGKILL');
  await said('a worker died and is replaced', 1);
  const isOfRelease = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${release}/src/cli/main.ts`);
  await eventually('another one of this release starts', () => {
    const workers = workersOf(supervisor).filter(isAlive);
    return workers.length === 2 && workers.every(isOfRelease);
  });
  await said('ready', 3);
});
