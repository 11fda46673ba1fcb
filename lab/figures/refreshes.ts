// Durable refreshes a second through the operation, beside a bare loop of single commits in the same run.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { type Sync, syncInPool } from '../../src/store/sqlite/commits.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { accepted, aNode, anotherNode, issue, refresh } from '../../test/node.ts';
import { median } from '../quantiles.ts';
import { figuresFolder, probeFsync, type Rate, rate, table } from './measure.ts';

const GRANTS = 10_000;
const SLICE_MS = 500;
const ROUNDS = Number(process.env['TESSERA_FIGURES_ROUNDS'] ?? 7);

export async function refreshFigures(): Promise<void> {
  const folder = figuresFolder();
  console.log(`fsync of 4 KiB: ${fsyncWords(folder)}`);
  const contenders: Contender[] = [];
  contenders.push(...(await refreshing(join(folder, 'refreshes.db'))));
  contenders.push(...(await refreshingSlowly(join(folder, 'slow.db'))));
  const bare = bareLoop(join(folder, 'refreshes.db'));
  const results: { bare: Rate[]; of: Map<string, Rate[]> } = { bare: [], of: new Map() };
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, callers, act } of contenders) {
      results.bare.push(await rate(1, SLICE_MS / 4, bare));
      results.of.set(name, [...(results.of.get(name) ?? []), await rate(callers, SLICE_MS, act)]);
    }
  }
  const bareRate = median(results.bare.map(({ perSecond }) => perSecond));
  table([
    row('bare loop of single commits', results.bare, bareRate),
    ...[...results.of].map(([name, rates]) => row(name, rates, bareRate)),
  ]);
  console.log(`fsync of 4 KiB, again: ${fsyncWords(folder)}`);
  for (const { close } of contenders) await close();
  rmSync(folder, { recursive: true });
}

interface Contender {
  readonly name: string;
  readonly callers: number;
  readonly act: (caller: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function refreshing(path: string): Promise<Contender[]> {
  const backEnd = await openSqlite({ path, clock: () => systemClock.now() });
  const node = await aNode(storeOf(backEnd), { clock: systemClock });
  const silent = await anotherNode(storeOf(withoutEvents(backEnd)), { clock: systemClock, keyring: node.keyring });
  const pairs = await Promise.all(Array.from({ length: GRANTS }, () => issue(silent)));
  const close = () => backEnd.close();
  const contenders = [1, 64, 256].map((callers) => ({
    name: `${callers} callers`,
    callers,
    act: turnOf(pairs, callers, node),
    close,
  }));
  const quiet = [64, 256].map((callers) => ({
    name: `${callers} callers, no events`,
    callers,
    act: turnOf(pairs, callers, silent),
    close,
  }));
  return [...contenders, ...quiet];
}

/** The same with fsync 5 ms slower: real disks vary as much from hour to hour. */
const syncSlowly: Sync = async (file) => {
  await sleep(5);
  await syncInPool(file);
};

async function refreshingSlowly(path: string): Promise<Contender[]> {
  const backEnd = await openSqlite({ path, clock: () => systemClock.now(), sync: syncSlowly });
  const node = await aNode(storeOf(backEnd), { clock: systemClock });
  const pairs = await Promise.all(Array.from({ length: GRANTS }, () => issue(node)));
  return [1, 64, 256].map((callers) => ({
    name: `slow disk, ${callers} callers`,
    callers,
    act: turnOf(pairs, callers, node),
    close: () => backEnd.close(),
  }));
}

/** Each caller refreshes its own grants in sequence. */
export function turnOf(pairs: TokenPair[], callers: number, node: CallerPorts): (caller: number) => Promise<void> {
  const next = Array.from({ length: callers }, (_, caller) => caller);
  return async (caller) => {
    const at = next[caller] ?? caller;
    next[caller] = at + callers < pairs.length ? at + callers : caller;
    pairs[at] = accepted(await refresh(node, pairs[at] as TokenPair));
  };
}

export function withoutEvents(backEnd: BackEnd): BackEnd {
  return { ...backEnd, commit: (commit) => backEnd.commit({ ...commit, events: [] }) };
}

/** The baseline without a service: change one row, commit durably, repeat. */
function bareLoop(path: string): () => Promise<void> {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = FULL');
  const ids = database.prepare('SELECT id FROM grants LIMIT 5000').all();
  const update = database.prepare('UPDATE grants SET revision = ?, nonce = ?, issued_at = issued_at + 1 WHERE id = ?');
  let n = 0;
  return async () => {
    n++;
    update.run(2 ** 30 + n, Buffer.alloc(16, n), ids[n % ids.length]?.['id'] as Uint8Array);
  };
}

function row(name: string, rates: readonly Rate[], bareRate: number): Record<string, string | number> {
  const of = (read: (each: Rate) => number) => median(rates.map(read));
  const perSecond = of((each) => each.perSecond);
  return {
    '': name,
    'a second': perSecond,
    '× bare': perSecond / bareRate,
    'CPU µs each': of(({ cpu }) => cpu),
    'p50 ms': of(({ p50 }) => p50),
    'p99 ms': of(({ p99 }) => p99),
    'stall p50 ms': of(({ stall }) => stall.p50),
    'stall p99 ms': of(({ stall }) => stall.p99),
    'longest stall ms': of(({ stall }) => stall.max),
  };
}

function fsyncWords(folder: string): string {
  const { p50, p99 } = probeFsync(folder);
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
}
