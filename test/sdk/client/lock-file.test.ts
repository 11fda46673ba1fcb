// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { replaceDead, takeLock } from '../../../sdk/client/src/store/lock-file.ts';
import { newOwner } from '../../../sdk/client/src/store/process-life.ts';
import { Seeded } from '../../seeded.ts';
import { folderFor, namesIn } from './token-file.ts';

const HOLDER = fileURLToPath(new URL('lock-holder.ts', import.meta.url));

function lockFor(t: TestContext): string {
  return join(folderFor(t), 'x.lock');
}

/** A process that takes the lock again and again, and logs when it enters and leaves. */
function startHolder(t: TestContext, path: string, log: string, holdMs: number): ChildProcess {
  const child = spawn(process.execPath, [HOLDER, path, log, String(holdMs)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function logHas(log: string, pattern: RegExp): Promise<void> {
  for (let tries = 0; !pattern.test(readFileSync(log, 'utf8')); tries++) {
    assert.ok(tries < 1000, `the log never had ${pattern}`);
    await pause(10);
  }
}

/** Waits until processes have entered so many more times. */
async function entered(log: string, times: number): Promise<void> {
  const count = () => readFileSync(log, 'utf8').split('enter').length;
  const before = count();
  for (let tries = 0; count() < before + times; tries++) {
    assert.ok(tries < 3000, 'nobody enters any more');
    await pause(5);
  }
}

/** A lock whose owner has ended. */
function deadRecord(): string {
  return JSON.stringify({ ...newOwner(), pid: 2 ** 22 + 1 });
}

test('one holder at a time', (t) => {
  const path = lockFor(t);
  const held = takeLock(path);
  assert.ok(held);
  assert.equal(takeLock(path), undefined);
  held.release();
  const again = takeLock(path);
  assert.ok(again);
  again.release();
  assert.deepEqual(namesIn(dirname(path)), []);
});

test('the lock of a process that was killed is free at once; that of a paused one is not', async (t) => {
  const path = lockFor(t);
  const log = join(dirname(path), 'log');
  writeFileSync(log, '');
  const child = startHolder(t, path, log, 60_000);
  await logHas(log, /enter/);
  child.kill('SIGSTOP');
  while (!/\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))) await pause(5);
  assert.equal(takeLock(path), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const held = takeLock(path);
  assert.ok(held);
  held.release();
});

test('a process that died while it took over a lock is taken over in turn', (t) => {
  const path = lockFor(t);
  const [first, second] = [deadRecord(), deadRecord()];
  writeFileSync(path, first);
  writeFileSync(`${path}.claim.${JSON.parse(first).id}`, second);
  writeFileSync(`${path}.${JSON.parse(second).id}`, second);
  const held = takeLock(path);
  assert.ok(held);
  assert.deepEqual(namesIn(dirname(path)), ['x.lock'], 'what the dead have left is removed');
  held.release();
});

test('a process that was slow to take over finds that another one was faster', (t) => {
  const path = lockFor(t);
  const dead = deadRecord();
  writeFileSync(path, dead);
  const faster = takeLock(path);
  assert.ok(faster);
  const slow = `${path}.slow`;
  writeFileSync(slow, JSON.stringify(newOwner()));
  assert.equal(replaceDead(path, slow, [JSON.parse(dead).id]), false);
  assert.equal(takeLock(path), undefined, 'the faster one still holds it');
  faster.release();
  assert.equal(replaceDead(path, slow, [JSON.parse(dead).id]), false, 'nor is a free lock taken that way');
  assert.deepEqual(namesIn(dirname(path)), ['x.lock.slow']);
});

test('a claim by a living process is respected', (t) => {
  const path = lockFor(t);
  const dead = deadRecord();
  writeFileSync(path, dead);
  const claimant = `${path}.other`;
  writeFileSync(claimant, JSON.stringify(newOwner()));
  linkSync(claimant, `${path}.claim.${JSON.parse(dead).id}`);
  assert.equal(takeLock(path), undefined);
  assert.equal(readFileSync(path, 'utf8'), dead);
});

test('a holder touches its lock every second, so that no other container takes it for dead', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const path = lockFor(t);
  const held = takeLock(path);
  const age = () => Date.now() - statSync(path).mtimeMs;
  for (const _ of [1, 2]) {
    utimesSync(path, 0, 0);
    t.mock.timers.tick(1000);
    assert.ok(age() < 600_000);
  }
  held?.release();
});

test('a record that a power failure has emptied is replaced after 30 seconds', (t) => {
  const path = lockFor(t);
  writeFileSync(path, '');
  assert.equal(takeLock(path), undefined);
  utimesSync(path, 0, Date.now() / 1000 - 35);
  assert.ok(takeLock(path));
});

test('twelve processes, killed at random, are never inside together', async (t) => {
  const path = lockFor(t);
  const log = join(dirname(path), 'log');
  writeFileSync(log, '');
  const chance = new Seeded(5);
  const killed = new Set<number>();
  const children = Array.from({ length: 12 }, () => startHolder(t, path, log, 2));
  for (let cycle = 0; cycle < 30; cycle++) {
    await entered(log, 4);
    await pause(chance.below(10));
    const at = chance.below(children.length);
    const child = children[at] as ChildProcess;
    child.kill('SIGKILL');
    await once(child, 'exit');
    killed.add(child.pid ?? 0);
    children[at] = startHolder(t, path, log, 2);
  }
  for (const child of children) {
    child.kill('SIGKILL');
    killed.add(child.pid ?? 0);
  }
  const { entries, together } = readWitness(readFileSync(log, 'utf8'), killed);
  assert.ok(entries >= 120, `they entered only ${entries} times`);
  assert.deepEqual(together, []);
});

/** Whoever enters must find the last one gone: left, or killed. A killed one must not write again. */
function readWitness(text: string, killed: ReadonlySet<number>) {
  const together: string[] = [];
  const gone = new Set<string>();
  let inside: string | undefined;
  let entries = 0;
  for (const [what, pid = ''] of text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))) {
    if (gone.has(pid)) together.push(`${pid} was inside after ${inside} had entered`);
    if (what === 'leave') inside = undefined;
    if (what !== 'enter') continue;
    entries++;
    if (inside !== undefined && !killed.has(Number(inside))) together.push(`${inside} and ${pid}`);
    if (inside !== undefined) gone.add(inside);
    inside = pid;
  }
  return { entries, together };
}
