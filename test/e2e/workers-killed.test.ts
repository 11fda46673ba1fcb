// What becomes of callers and of what they were told when processes of the service are killed.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { type Caller, callerOver } from './caller.ts';
import { type Home, populatedHome } from './service.ts';
import { type Pair, pairByCertificate, refresh, refreshed, verify } from './steps.ts';
import { serveWithWorkers, workersOf } from './supervised.ts';

/** One that nobody has collected yet (Z) is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Callers at work, each on a connection of its own, so that the kernel gives every worker some of them. */
interface Load {
  /** What each was told, in order. */
  readonly told: readonly Pair[][];
  /** How often a connection was cut; whoever was on it asks again. */
  cuts: number;
  /** Fails where any answer was not a pair. */
  end(): Promise<void>;
}

const CALLERS = 16;

async function startLoad(t: TestContext, port: number, home: Home): Promise<Load> {
  const certificate = home.authority.issue({ commonName: 'ada' });
  const callers = Array.from({ length: CALLERS }, () =>
    callerOver('HTTP/1.1', { port, ca: home.authority.pem, certificate }),
  );
  t.after(() => callers.map((caller) => caller.close()));
  const told = await Promise.all(callers.map(async (caller) => [await pairByCertificate(caller)]));
  let isOver = false;
  const work = async (caller: Caller, pairs: Pair[]) => {
    while (!isOver) {
      const answer = await refresh(caller, pairs.at(-1)?.refresh_token ?? '').catch(() => undefined);
      if (answer) {
        assert.equal(answer.status, 200, answer.text);
        pairs.push(answer.json as unknown as Pair);
      } else {
        load.cuts += 1;
        await pause(20);
      }
    }
  };
  const load: Load = {
    told,
    cuts: 0,
    end: async () => {
      isOver = true;
      await working;
    },
  };
  const working = Promise.all(callers.map((caller, at) => work(caller, told[at] ?? [])));
  working.catch(() => undefined); // `end` tells
  return load;
}

async function homeAtPort(t: TestContext): Promise<{ home: Home; port: number }> {
  const port = await freePort(); // workers share a port that has a number
  const home = await populatedHome({ listeners: [{ tls: true, port }] });
  t.after(() => rmSync(home.folder, { recursive: true, force: true }));
  return { home, port };
}

test('a worker killed with -9 under load: the others go on, and whoever was cut off is served by them', async (t) => {
  const { home, port } = await homeAtPort(t);
  const { supervisor, said } = serveWithWorkers(t, home);
  await said('ready', 2);
  const load = await startLoad(t, port, home);
  await pause(500);
  const before = load.told.map(({ length }) => length);
  process.kill(workersOf(supervisor)[0] ?? 0, 'SIGKILL');
  await pause(1000);
  await load.end();
  assert.ok(load.cuts > 0, 'it had callers');
  for (const [at, { length }] of load.told.entries()) assert.ok(length > (before[at] ?? 0) + 1, 'each was served on');
});

test('a supervisor killed with -9 under load: its workers end, and nothing acknowledged is lost', async (t) => {
  const { home, port } = await homeAtPort(t);
  const killed = serveWithWorkers(t, home);
  await killed.said('ready', 2);
  const load = await startLoad(t, port, home);
  await pause(500);
  const workers = workersOf(killed.supervisor);
  killed.supervisor.kill('SIGKILL');
  for (const pid of workers) while (isAlive(pid)) await pause(20);
  await load.end();
  assert.ok(load.told.every(({ length }) => length > 3) && load.cuts >= CALLERS, 'there was load until the end');

  await serveWithWorkers(t, home).said('ready', 2);
  const caller = callerOver('HTTP/1.1', { port, ca: home.authority.pem });
  t.after(() => caller.close());
  for (const pairs of load.told) {
    const last = pairs.at(-1) as Pair;
    assert.equal((await verify(caller, last.access_token)).status, 200);
    await refreshed(caller, last);
  }
});
