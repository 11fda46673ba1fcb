// Commands for this machine alone.
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

const LINES = [
  'serve',
  'quickstart',
  'init',
  'doctor',
  'config check',
  'config show --json',
  'directory check corp',
  'directory recheck corp --accept-endings',
  'keyring list',
  'backup copy.db',
  'backup verify copy.db',
  'restore copy.db',
  'migrate-store --to postgres://tessera@db.example/tessera',
  'migrate-schema --as postgres://owner@db.example/tessera',
  'store history',
];

test('a command that works on this machine alone does nothing if a service is named', async (t) => {
  const folder = temporaryFolder('beside store');
  const commands = new Commands({ isApart: true });
  t.after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const line of LINES)
    for (const named of [
      ['--server', 'https://tokens.example.com'],
      ['--login', 'production'],
    ]) {
      const { status, printed, stderr } = await commands.run([...named, ...line.split(' ')], { folder });
      assert.deepEqual([status, printed], [2, ''], line);
      assert.match(stderr, /this command works beside the store only/, line);
    }
  assert.deepEqual(readdirSync(folder), []);
});
