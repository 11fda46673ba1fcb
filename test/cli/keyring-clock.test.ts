import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { keepSeen } from '../../src/operations/upkeep/timekeeper.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';
import { seed } from './seed.ts';

const commands = new Commands();
after(() => commands.close());

const HUNDRED_DAYS = 100 * 86_400;

test('a clock 100 days ahead retires no key of a live grant, and the command says what to do', async () => {
  const folder = temporaryFolder('keyring-clock');
  const run = async (line: string) => commands.run(line.split(' '), { folder });
  for (const line of ['init --integration web --scope orders:read --identity ada', 'keyring add', 'keyring mint 2'])
    assert.equal((await run(line)).status, 0);
  await seed(['0192f30000000000000000000000aa01', 'web', 'ada', '-1'], folder); // has ended, by this clock
  const clock = () => epochSeconds(systemClock.now() - HUNDRED_DAYS);
  const store = await openSqliteStore({ path: join(folder, 'data/tessera.db'), clock });
  await keepSeen({ store });
  await store.close();
  const keyring = () => readFileSync(join(folder, 'data/keyring.json'), 'utf8');
  const before = keyring();
  for (const line of [
    'keyring retire 1',
    'keyring retire 1 --at-once',
    'keyring mint 1',
    'keyring add --signing ES256',
  ]) {
    const { status, printed } = await run(line);
    assert.equal(status, 1, printed);
    assert.match(
      printed,
      /^tessera: the clock is \d+ hours beyond what is plausible: nothing was changed\n {2}Set the clock .* tessera serve --accept-clock$/m,
    );
  }
  assert.equal(keyring(), before);
});
