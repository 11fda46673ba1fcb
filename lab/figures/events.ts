// What the event of a refresh costs: the same refreshes with and without it, in turns.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { aNode, anotherNode, issue } from '../../test/node.ts';
import { median } from '../quantiles.ts';
import { figuresFolder, type Rate, rate, table } from './measure.ts';
import { turnOf, withoutEvents } from './refreshes.ts';

const GRANTS = 10_000;
const CALLERS = 64;
const ROUNDS = 25;
const SLICE_MS = 300;

export async function eventFigures(): Promise<void> {
  const folder = figuresFolder();
  const path = join(folder, 'events.db');
  const backEnd = await openSqlite({ path, clock: () => systemClock.now() });
  const node = await aNode(storeOf(backEnd), { clock: systemClock });
  const silent = await anotherNode(storeOf(withoutEvents(backEnd)), { clock: systemClock, keyring: node.keyring });
  const pairs: TokenPair[] = [];
  while (pairs.length < GRANTS) pairs.push(...(await Promise.all(Array.from({ length: 500 }, () => issue(silent)))));
  const [told, untold]: [Rate[], Rate[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    told.push(await rate(CALLERS, SLICE_MS, turnOf(pairs, CALLERS, node)));
    untold.push(await rate(CALLERS, SLICE_MS, turnOf(pairs, CALLERS, silent)));
  }
  table([rowOf('with its event', told, untold), rowOf('without', untold, untold)]);
  await backEnd.close();
  rmSync(folder, { recursive: true });
}

function rowOf(name: string, rates: readonly Rate[], besides: readonly Rate[]): Record<string, string | number> {
  const ratios = rates.map(({ perSecond }, n) => perSecond / (besides[n]?.perSecond ?? 1));
  const of = (read: (each: Rate) => number) => median(rates.map(read));
  return {
    '': name,
    'refreshes a second': of(({ perSecond }) => perSecond),
    'beside its neighbour': median(ratios),
    'CPU µs each': of(({ cpu }) => cpu),
    'p50 ms': of(({ p50 }) => p50),
  };
}
