// WAL size under sustained load, while another process constantly reads pages and counts whole tables.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { aNode, issue } from '../../test/node.ts';
import { figuresFolder, rate, table } from './measure.ts';
import { turnOf } from './refreshes.ts';

const GRANTS = 20_000;
const CALLERS = 256;
const RUN_MS = 15_000;
const READER = new URL('wal-reader.ts', import.meta.url).pathname;

export async function walFigures(): Promise<void> {
  const folder = figuresFolder();
  const path = join(folder, 'wal.db');
  const backEnd = await openSqlite({ path, clock: () => systemClock.now() });
  const node = await aNode(storeOf(backEnd), { clock: systemClock });
  const pairs: TokenPair[] = [];
  while (pairs.length < GRANTS) pairs.push(...(await Promise.all(Array.from({ length: 500 }, () => issue(node)))));
  const rows = [];
  for (const readers of [0, 1, 2]) {
    const children = Array.from({ length: readers }, () =>
      spawn(process.execPath, [READER, path], { stdio: 'inherit' }),
    );
    const sizes: number[] = [];
    const watch = setInterval(() => sizes.push(statSync(`${path}-wal`).size), 20);
    const { perSecond, p99 } = await rate(CALLERS, RUN_MS, turnOf(pairs, CALLERS, node));
    clearInterval(watch);
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => once(child, 'exit')));
    rows.push({
      'reading processes': String(readers),
      'refreshes a second': perSecond,
      'p99 ms': p99,
      'largest WAL, MB': Math.max(...sizes) / 1e6,
    });
  }
  table(rows);
  await backEnd.close();
  rmSync(folder, { recursive: true });
}
