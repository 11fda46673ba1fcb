// The power fails while a process writes: what was not synced is lost, kept or torn, sector by sector. Everything that
// was acknowledged must be there when the store is opened again.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/system.ts';
import { TestClock } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { cutPoints, type Loss, type PowerCut, type Remains, readJournal, remainsOf } from './disk-journal.ts';
import { type KillField, killField, openNode } from './kill.ts';
import { verdict } from './verdict.ts';
import type { Promised } from './writer.ts';

const SOURCE = new URL('journal.c', import.meta.url).pathname;
const WRITER = new URL('writer.ts', import.meta.url).pathname;
const LOSSES: readonly Loss[] = ['all of it is lost', 'sectors of it are lost', 'nothing is lost'];
/** Enough for several checkpoints, at a commit of a few pages each. */
const ENOUGH_BYTES = 60 * 2 ** 20;
const LONGEST_LIFE_MS = 8_000;
/** Grants whose tokens are presented after a cut, the latest ones. */
const MOST_GRANTS = 40;

/** Returns how many promises were broken. `cycles`: power cuts. */
export async function tearWrites(cycles: number, chance: Seeded): Promise<number> {
  const field = await killField();
  try {
    const library = compile(field.folder);
    if (!library) {
      console.log('SKIPPED: there is no C compiler (cc) here');
      return 0;
    }
    const begin = readFileSync(field.path);
    const steps = readJournal(await lifeOf(field, library));
    const diedAt = new TestClock(systemClock.now());
    const count = (kind: string, file: string) =>
      steps.filter((step) => step.kind === kind && step.file === file).length;
    console.log(
      `recorded: ${count('write', 'wal')} writes to the WAL, ${count('write', 'database')} to the database, ` +
        `${count('sync-done', 'wal')} and ${count('sync-done', 'database')} syncs, ${count('acknowledged', 'other')} acknowledgements`,
    );
    let broken = 0;
    for (const [n, at] of cutPoints(steps, cycles, chance).entries()) {
      const cut: PowerCut = { at, loss: LOSSES[n % LOSSES.length] as Loss };
      const remains = remainsOf(steps, begin, cut, chance);
      broken += judged(await findingsOf(field, remains, diedAt), `cut ${n + 1} after step ${at}, ${cut.loss}`);
    }
    const ignoring: PowerCut = { at: steps.length, loss: 'all of it is lost', ignoresSyncs: true };
    return broken + wouldNotice(await findingsOf(field, remainsOf(steps, begin, ignoring, chance), diedAt));
  } finally {
    field.remove();
  }
}

function compile(folder: string): string | undefined {
  const library = join(folder, 'journal.so');
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
  if (made.error) return undefined;
  if (made.status !== 0) throw new Error(`journal.c cannot be compiled: ${made.stderr}`);
  return library;
}

/** Runs a writing process until it has written enough, and kills it. Returns its journal. */
async function lifeOf({ folder, path, keyringPath }: KillField, library: string): Promise<Buffer> {
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  const child = spawn(process.execPath, [WRITER, path, keyringPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LD_PRELOAD: library, TESSERA_JOURNAL: journal, TESSERA_JOURNALED: path },
  });
  child.stdout.resume();
  const exit = once(child, 'exit');
  const end = performance.now() + LONGEST_LIFE_MS;
  while (statSync(journal).size < ENOUGH_BYTES && performance.now() < end) await pause(20);
  child.kill('SIGKILL');
  const [, signal] = await exit;
  if (signal !== 'SIGKILL') throw new Error('the writing process ended by itself');
  return readFileSync(journal);
}

type Findings = Awaited<ReturnType<typeof findingsOf>>;

/** The drill would notice a disk that ignores syncs, where acknowledged commits really are lost. */
function wouldNotice({ broken }: Findings): number {
  console.log(`a disk that ignores syncs: ${broken.length} promises broken, as it must be`);
  return broken.length > 0 ? 0 : 1;
}

function judged({ promised, broken }: Findings, what: string): number {
  console.log(`${what}: ${promised} promises checked, ${broken.length} broken`);
  for (const each of broken.slice(0, 3)) console.error(`BROKEN ${what}: ${each}`);
  return broken.length;
}

/** `diedAt`: a clock that stands still, since retry windows would close while many cuts are judged. */
async function findingsOf(
  { folder, keyringPath }: KillField,
  { database, wal, acknowledged }: Remains,
  diedAt: TestClock,
) {
  const after = join(folder, 'after');
  mkdirSync(after, { mode: 0o700 });
  const path = join(after, 'tessera.db');
  writeFileSync(path, database, { mode: 0o600 });
  if (wal) writeFileSync(`${path}-wal`, wal, { mode: 0o600 });
  try {
    const node = await openNode({ path, keyringPath }, diedAt);
    const found = await verdict(latest(acknowledged), node);
    await node.store.close();
    return found;
  } catch (fault) {
    return { promised: 0, broken: [`the store cannot be used: ${String(fault)}`] };
  } finally {
    rmSync(after, { recursive: true });
  }
}

function latest(acknowledged: string): readonly Promised[] {
  const all = acknowledged
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Promised);
  const newestFirst = new Set(all.toReversed().map(({ grantId }) => grantId));
  const chosen = new Set([...newestFirst].slice(0, MOST_GRANTS));
  return all.filter(({ grantId }) => chosen.has(grantId));
}
