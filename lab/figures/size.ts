// Bytes on disk per grant, without the event log: new, and after each was refreshed twenty times.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Presenter, presenter } from '../../src/core/presenter.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, aNode, CURL, issue, type Node, refresh, revoke } from '../../test/node.ts';
import { Seeded } from '../../test/seeded.ts';
import { figuresFolder, sqliteBytes, table } from './measure.ts';
import { withoutEvents } from './refreshes.ts';

const GRANTS = Number(process.env['TESSERA_FIGURES_GRANTS'] ?? 100_000);
const REFRESHES = 20;
const AT_ONCE = 1000;

export async function sizeFigures(): Promise<void> {
  const folder = figuresFolder();
  const path = join(folder, 'size.db');
  const backEnd = await openSqlite({ path, clock: () => systemClock.now() });
  const keys = addKey(firstKey(), 2);
  const node = await aNode(storeOf(withoutEvents(backEnd)), { clock: systemClock, keyring: new Keyring(keys) });
  const empty = sqliteBytes(path);
  const rows: Record<string, string | number>[] = [];
  const weigh = (what: string) => rows.push({ '': what, 'bytes per grant': (sqliteBytes(path) - empty) / GRANTS });
  const pairs: TokenPair[] = [];
  for (let n = 0; n < GRANTS; n += AT_ONCE)
    pairs.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => issue(node)))));
  weigh('new');
  for (let n = 0; n < REFRESHES; n++) await refreshAll(pairs, node, () => CURL);
  weigh(`after ${REFRESHES} refreshes of each`);
  const rotated: Node = { ...node, keyring: new Keyring(mintWith(keys, 2)) };
  await refreshAll(pairs, rotated, () => CURL);
  weigh('and a key rotation');
  await refreshAll(pairs, rotated, (n) => presenter(`192.0.2.${n % 256}`, `curl/8.${n % 20}`));
  weigh('and from addresses and agents that vary a little');
  for (let n = 0; n < GRANTS; n += 20) await revoke(rotated, pairs[n] as TokenPair);
  weigh('and one in twenty revoked');
  table(rows);
  await backEnd.close();
  rmSync(folder, { recursive: true });
}

/** In random order, like real callers. */
async function refreshAll(pairs: TokenPair[], node: Node, by: (n: number) => Presenter): Promise<void> {
  const chance = new Seeded(pairs.length);
  const order = pairs.map((_, n) => ({ n, key: chance.next() })).sort((a, b) => a.key - b.key);
  for (let from = 0; from < order.length; from += AT_ONCE) {
    await Promise.all(
      order.slice(from, from + AT_ONCE).map(async ({ n }) => {
        pairs[n] = accepted(await refresh(node, pairs[n] as TokenPair, { by: by(n) }));
      }),
    );
  }
}
