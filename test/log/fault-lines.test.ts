import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultLines } from '../../src/log/fault-lines.ts';
import { makeLog } from '../../src/log/log.ts';

function scene() {
  let now = 0;
  const lines: Record<string, unknown>[] = [];
  const milliseconds = () => now;
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logFault = faultLines(makeLog({ level: 'info', format: 'json', milliseconds, destination }), milliseconds);
  return { logFault, lines, pass: (ms: number) => (now += ms) };
}

test('an outage has a line when it begins and one a minute, with how many were left out, whatever the requests are', () => {
  const { logFault, lines, pass } = scene();
  for (let second = 0; second < 120; second++) {
    for (let each = 0; each < 10; each++)
      logFault(
        'fault',
        { text: `StoreUnavailable: no answer after ${second}.${each} s for 018f${'ab'.repeat(14)}` },
        { id: `r${each}` },
      );
    pass(1_000);
  }
  assert.deepEqual(
    lines.map(({ id, omitted }) => [id, omitted]),
    [
      ['r0', undefined],
      ['r0', 599],
    ],
  );
});

test('another cause has a line of its own', () => {
  const { logFault, lines } = scene();
  for (const text of ['StoreUnavailable: the disk is full', 'DirectoryAway: corp'])
    for (let each = 0; each < 3; each++) logFault('fault', { text });
  assert.deepEqual(
    lines.map(({ fault }) => fault),
    ['StoreUnavailable: the disk is full', 'DirectoryAway: corp'],
  );
});

test('every request that met a defect finds what broke by its id, and one a minute has the stack', () => {
  const { logFault, lines, pass } = scene();
  const stack = (place: string) => `TypeError: no such thing\n    at ${place}\n    at main (main.ts:1:1)`;
  const meet = (id: string, place: string) => logFault('fault', { text: stack(place), isDefect: true }, { id });
  meet('r1', 'one (a.ts:10:5)');
  meet('r2', 'one (a.ts:10:5)');
  meet('r3', 'two (b.ts:10:5)');
  pass(60_000);
  meet('r4', 'one (a.ts:10:5)');
  assert.deepEqual(
    lines.map(({ id, fault }) => [id, fault]),
    [
      ['r1', stack('one (a.ts:10:5)')],
      ['r2', 'TypeError: no such thing'],
      ['r3', stack('two (b.ts:10:5)')],
      ['r4', stack('one (a.ts:10:5)')],
    ],
  );
});
