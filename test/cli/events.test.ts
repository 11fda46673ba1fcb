import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { ClientId } from '../../src/core/integration.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { SERVICE, serviceTimes } from '../../src/store/tables/service-times.ts';
import { systemClock } from '../../src/system.ts';
import { type Home, populatedHome } from '../e2e/service.ts';
import { Commands } from './commands.ts';

const MANY = 1234;
const ENDED = { type: 'revoked', detail: { reason: 'by-operator' } } as const;

suite('tessera events', () => {
  const commands = new Commands({ isApart: true });
  let home: Home;
  before(async () => {
    home = await populatedHome();
    const store = await openSqliteStore({ path: join(home.folder, 'tessera.db'), clock: systemClock.now });
    await store.change(serviceTimes, SERVICE, (_found, at) => ({
      outcome: undefined,
      events: Array.from({ length: MANY }, (_, n) => ({
        ...(n === 0 ? ENDED : ({ type: 'refreshed' } as const)),
        at,
        clientId: 'orders-sync' as ClientId,
        subjectId: n.toString(16).padStart(32, '0'),
      })),
    }));
    await store.close();
  });
  after(async () => {
    await commands.close();
    rmSync(home.folder, { recursive: true });
  });

  const run = async (...flags: string[]) => {
    const args = ['--config', home.configFile, 'events', '--json', ...flags];
    const { printed, stderr } = await commands.run(args, { folder: home.folder });
    return {
      events: printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string }),
      stderr,
    };
  };

  for (const flags of [
    ['--after', '0'],
    ['--since', '1h'],
  ])
    test(`${flags.join(' ')}: all of them, with the revocation among them`, async () => {
      const { events, stderr } = await run(...flags);
      assert.ok(events.length >= MANY, `${events.length}`);
      assert.equal(events.filter(({ type }) => type === 'revoked').length, 1);
      assert.equal(stderr, '');
    });

  test('by itself: the latest, and how to get all of them', async () => {
    const { events, stderr } = await run();
    assert.equal(events.length, 50);
    assert.match(stderr, /latest 50\. All of them: --after 0/);
  });

  test('--limit bounds everything', async () => {
    for (const flags of [[], ['--after', '0'], ['--since', '1h']])
      assert.equal((await run('--limit', '7', ...flags)).events.length, 7);
  });
});
