import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandEnvironment, TESSERA } from './command.ts';

test('with --json, standard output of an act is its result as JSON and nothing else', (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'tessera-json-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const env = commandEnvironment() as NodeJS.ProcessEnv;
  const run = (...args: string[]) => {
    const command = [TESSERA, ...args, '--json'];
    const { status, stdout } = spawnSync(process.execPath, command, { cwd, env, encoding: 'utf8' });
    assert.equal(status, 0, args.join(' '));
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  assert.deepEqual(Object.keys(run('init', '--identity', 'ada')), ['configuration', 'dataFolder', 'identity']);
  assert.equal(run('integration', 'add', 'till', '--scope', 'sales:read')['clientId'], 'till');
  assert.equal(run('identity', 'disable', 'ada')['enabled'], false);
  assert.deepEqual(run('keyring', 'add'), { key: 2, state: 'check-only' });
  assert.deepEqual(run('grant', 'revoke', '--integration', 'till'), { endedGrants: 0 });
  assert.equal(run('backup', 'copy.db')['copy'], join(cwd, 'copy.db'));
  assert.equal(run('restore', 'copy.db')['liveGrants'], 0);
  assert.deepEqual(run('store', 'history'), { epoch: 1, cameBack: [] });
});
