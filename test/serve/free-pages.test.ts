// Own process: it measures the memory of the process.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { returnMemory } from '../../src/serve/give-back.ts';

const MIB = 2 ** 20;
const BLOCK = 16 * 1024;
const BLOCKS = 10_000;

/** Drops all blocks but a few that lie in between, as connections that remain after a flood do. */
async function flood(): Promise<readonly Buffer[]> {
  const blocks = Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK).fill(1));
  const living = blocks.filter((_, n) => n % 100 === 99);
  blocks.length = 0;
  await nextTurn();
  return living;
}

test('memory that the C library keeps between living blocks is returned, again and again, without a warning', async () => {
  const warnings: Error[] = [];
  process.on('warning', (warning) => warnings.push(warning));
  const usual: unknown = Reflect.get(process, 'emitWarning');
  for (let round = 0; round < 2; round++) {
    const living = await flood();
    const kept = process.memoryUsage.rss();
    returnMemory();
    const returned = kept - process.memoryUsage.rss();
    assert.ok(returned > 100 * MIB, `${Math.round(returned / MIB)} of ${(BLOCK * BLOCKS) / MIB} MiB were returned`);
    assert.equal(living.length, BLOCKS / 100);
  }
  await nextTurn();
  assert.deepEqual(warnings, []);
  assert.equal(Reflect.get(process, 'emitWarning'), usual);
});

test('where Node cannot call C, nothing happens', () => {
  const module = fileURLToPath(new URL('../../src/serve/free-pages.ts', import.meta.url));
  const script = `import { returnFreePages } from ${JSON.stringify(module)}; returnFreePages(); returnFreePages(); console.log('alive');`;
  const args = ['--no-experimental-ffi', '--input-type=module', '--eval', script];
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'alive\n');
});
