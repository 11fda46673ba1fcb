// docs/guard.md as it is printed: its rules, its transcript, its command without a file; and how a wrong start fails.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { blockOf } from '../e2e/proxies/proxy.ts';
import { given } from '../given.ts';
import { read } from '../house/sources.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

const folder = temporaryFolder('guard-page');
after(() => rmSync(folder, { recursive: true, force: true }));
const commands = given(
  () => new Commands({ isApart: true }),
  (opened) => opened.close(),
);
const run = (args: readonly string[]) => commands.run(args, { folder });

test('tessera guard check says what docs/guard.md shows', async () => {
  writeFileSync(join(folder, 'guard.json'), blockOf('docs/guard.md', 'json'));
  const shown = [...read('docs/guard.md').matchAll(/^\$ tessera (guard check .*)\n((?:[^$`].*\n)+)/gm)];
  assert.equal(shown.length, 4);
  for (const [, line = '', expected = ''] of shown) {
    const { status, printed } = await run(line.split(' '));
    assert.deepEqual([printed, status], [expected, expected.startsWith('refused') ? 1 : 0], line);
  }
  const { printed } = await run(['guard', 'check', 'guard.json', 'GET', 'https://orders.example.com/orders', '--json']);
  const needed = { rule: 'rules[0]', audience: 'https://orders.example.com (orders-api)', needs: 'orders:read' };
  assert.deepEqual(JSON.parse(printed), { isAsked: true, ...needed });
});

test('a start with mistakes ends with 3 and names them', async () => {
  writeFileSync(join(folder, 'wrong.json'), '{"from":"headers","rule":[]}');
  const missing = ['issuer', 'resourceServers'].map((name) => `${name} is missing\n`).join('');
  const WRONG = [
    [['guard', 'wrong.json'], `${missing}rule is unknown`],
    [['guard', 'none.json'], 'none.json cannot be read'],
    [['guard', 'guard.json', '--issuer', 'https://a.example'], 'name a file, or issuer, not both'],
    [['guard', '--issuer', 'https://a.example'], 'resourceServers[0].id is missing'],
    [['guard', 'guard.json'], 'orders-api.secret cannot be read'],
  ] as const;
  for (const [args, message] of WRONG) {
    const { status, stderr } = await run(args);
    assert.equal(status, 3, stderr);
    assert.ok(stderr.includes(message), stderr);
  }
});
