import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

test('with --json, standard output of an act is its result as JSON and nothing else', async (t) => {
  const folder = temporaryFolder('json');
  const commands = new Commands({ isApart: true });
  t.after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = async (...args: string[]) => {
    const { status, printed, stderr } = await commands.run([...args, '--json'], { folder });
    assert.equal(status, 0, args.join(' '));
    assert.doesNotMatch(stderr, /tsc_|Password/, 'a secret is printed once');
    return JSON.parse(printed) as Record<string, unknown>;
  };
  assert.deepEqual(Object.keys(await run('init', '--identity', 'ada')), ['configuration', 'dataFolder', 'identity']);
  assert.equal((await run('integration', 'add', 'till', '--scope', 'sales:read'))['clientId'], 'till');
  assert.equal((await run('identity', 'disable', 'ada'))['enabled'], false);
  assert.deepEqual(await run('keyring', 'add'), { key: 2, state: 'check-only' });
  assert.deepEqual(await run('grant', 'revoke', '--integration', 'till'), { endedGrants: 0 });
  assert.equal((await run('backup', 'copy.db'))['copy'], join(folder, 'copy.db'));
  assert.equal((await run('restore', 'copy.db'))['liveGrants'], 0);
  const api = await run('resource-server', 'add', 'api', '--audience', 'https://api.example', '--resource', 'sales');
  assert.equal(api['audience'], 'https://api.example');
  assert.match(String((await run('resource-server', 'secret', 'api'))['secret']), /^tsc_/);
  assert.equal((await run('resource-server', 'change', 'api', '--enabled', 'no'))['enabled'], false);
  assert.deepEqual(await run('resource-server', 'remove', 'api', '--yes'), { id: 'api' });
  const issuer = ['--issuer', 'https://ci.example', '--when', '/sub=a'];
  assert.equal((await run('token-issuer', 'add', 'ci', ...issuer))['label'], 'ci');
  assert.equal((await run('token-issuer', 'change', 'ci', '--assertions', 'reusable'))['assertions'], 'reusable');
  assert.deepEqual(await run('token-issuer', 'remove', 'ci'), { label: 'ci' });
  const signing = await run('keyring', 'add', '--signing', 'ES256');
  assert.equal(signing['state'], 'signing');
  assert.deepEqual(await run('keyring', 'rotate'), []);
  assert.deepEqual(await run('store', 'history'), { epoch: 1, cameBack: [] });
});
