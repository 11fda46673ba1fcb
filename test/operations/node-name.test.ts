import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isKilled, nodeName } from '../../src/operations/upkeep/node-name.ts';
import { systemRandom } from '../../src/system.ts';
import { eventually } from '../eventually.ts';

/** The name of a node that is a process beside this one. */
function named(pid: number | undefined): string {
  return nodeName(systemRandom).replace(`:${process.pid}:`, `:${pid}:`);
}

test('a node counts as killed only if its process id means the same process here, and is gone', async (t) => {
  const child = spawn('sleep', ['1000']);
  t.after(() => child.kill('SIGKILL'));
  const here = named(child.pid);
  const elsewhere = {
    'another machine or container': here.replace(/.{14}$/, '00000000abcdef'),
    'another host name': `of-${here}`,
    'a node of 0.3.3': here.replace(/.{14}$/, 'abcdef'),
  };
  assert.equal(isKilled(nodeName(systemRandom)), false);
  assert.equal(isKilled(here), false);
  child.kill('SIGSTOP');
  assert.equal(isKilled(here), false, 'it may go on');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isKilled(here), true);
  for (const [what, name] of Object.entries(elsewhere)) assert.equal(isKilled(name), false, what);
});

test('a process that has ended does not run, also before its parent has noticed', async (t) => {
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  await eventually('it ends', () => isKilled(named(Number(String(line)))));
});
