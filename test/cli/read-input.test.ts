import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const READER = `
  import { readInput } from ${JSON.stringify(import.meta.resolve('../../src/cli/terminal/input.ts'))};
  process.stdout.write(readInput('-'));
`;

const NODE = [process.execPath, '--input-type=module', '--eval', READER];

for (const [name, [program, ...args]] of [
  ['a pipe', NODE],
  ['a pipe without blocking', ['sh', '-c', 'dd iflag=nonblock count=0 status=none && exec "$0" "$@"', ...NODE]],
] as const) {
  test(`standard input that comes late and in pieces is read to its end: ${name}`, async () => {
    const child = spawn(program ?? '', args, {
      cwd: fileURLToPath(import.meta.resolve('../..')),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said = text(child.stdout);
    const ended = once(child, 'exit');
    await sleep(300);
    child.stdin.write('first ä ');
    await sleep(100);
    const long = 'x'.repeat(200_000);
    child.stdin.end(long);
    assert.equal(await said, `first ä ${long}`);
    assert.deepEqual(await ended, [0, null]);
  });
}
