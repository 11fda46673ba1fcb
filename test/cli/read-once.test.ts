// A change that is made again because somebody else changed the same thing meanwhile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writePem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, runTessera, TESSERA } from './command.ts';

/** Runs `command`, whose standard input comes after `other` was done. */
async function changedMeanwhile(t: TestContext, folder: string, command: string[], other: string[], input: string) {
  const run = async (args: readonly string[]) => assert.equal((await runTessera(args, { folder })).status, 0);
  const piped = ['-c', 'cat | "$0" "$@"', process.execPath, TESSERA, ...command];
  const child = spawn('sh', piped, { cwd: folder, env: commandEnvironment() });
  t.after(() => child.kill());
  const [said, ended] = [text(child.stderr), once(child, 'exit')];
  await sleep(2_000); // by then it has read the thing, and waits for its input
  await run(other);
  child.stdin.end(input);
  const [status] = await ended;
  assert.equal(status, 0, await said);
}

test('what is piped in is read once', async (t) => {
  const folder = temporaryFolder('read-once');
  const run = async (...args: string[]) => {
    const { status, printed } = await runTessera(args, { folder });
    assert.equal(status, 0, printed);
    return printed;
  };
  const pem = writePem(makeAuthority().certificate);
  writeFileSync(join(folder, 'ca.pem'), pem);
  await run('init');
  await run('token-issuer', 'add', 'ci', '--issuer', 'https://ci.example', '--when', '/sub=a');
  await run('issuer', 'add', 'corp', 'ca.pem');

  const rules = JSON.stringify([{ when: { '/sub': 'piped' }, identity: '{/sub}' }]);
  const piped = ['token-issuer', 'change', 'ci', '--rules', '-'];
  const renewed = ['issuer', 'change', 'corp', '--certificate', '/dev/stdin'];
  await Promise.all([
    changedMeanwhile(t, folder, piped, ['token-issuer', 'change', 'ci', '--when', '/sub=b'], rules),
    changedMeanwhile(t, folder, renewed, ['issuer', 'change', 'corp', '--profile', 'strict'], pem),
  ]);
  assert.match(await run('token-issuer', 'show', 'ci', '--json'), /piped/);
  assert.match(await run('issuer', 'show', 'corp', '--json'), /"strict"/);
});
