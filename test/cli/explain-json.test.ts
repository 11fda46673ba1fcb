// With --json, what `tessera explain` finds is one JSON value on standard output; lines for people are on standard error.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { populatedHome } from '../e2e/service.ts';
import { Commands } from './commands.ts';

test('every form of tessera explain is for scripts, too', async (t) => {
  const commands = new Commands({ isApart: true });
  const home = await populatedHome();
  t.after(async () => {
    await commands.close();
    rmSync(home.folder, { recursive: true });
  });
  const log = {
    level: 'info',
    msg: 'request',
    id: '0192f3aa',
    operation: 'verify',
    outcome: 'refused',
    reason: 'grant-revoked',
  };
  writeFileSync(join(home.folder, 'log'), JSON.stringify(log));
  writeFileSync(join(home.folder, 'token'), 'tsa_x');
  const explain = async (...args: string[]) => {
    const all = ['--config', home.configFile, 'explain', ...args, '--json'];
    const ran = await commands.run(all, { folder: home.folder });
    return JSON.parse(ran.printed || assert.fail(ran.stderr));
  };
  assert.equal((await explain('refusal', 'refresh-token-reused')).refusal, 'refresh-token-reused');
  assert.equal((await explain('scope', 'orders-sync', 'orders:read,delete')).refusal, 'scope-exceeds-integration');
  assert.equal((await explain('token', join(home.folder, 'token'))).refusal, 'access-token-not-authentic');
  assert.equal((await explain('request', '0192f3aa', '--log', join(home.folder, 'log'))).log.reason, 'grant-revoked');
});
