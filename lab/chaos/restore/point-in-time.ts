// Two writers and the follower of a continuous backup are killed with -9 under load. Then the store is rebuilt as of random moments,
// and the newest one: each has every change acknowledged before its moment, and none requested after it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { listSeries, readRecords } from '../../../src/store/sqlite/continuous/archive.ts';
import { type Rebuilt, rebuild } from '../../../src/store/sqlite/continuous/rebuild.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { systemClock } from '../../../src/system.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { Broken } from '../broken.ts';
import { type KillField, killField } from '../kill.ts';
import type { Told } from './timed-writer.ts';

const MAIN = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
const WRITER = new URL('timed-writer.ts', import.meta.url).pathname;
const [LIFE_MS, MOMENTS] = [2_000, 5];

/** Returns how many promises were broken. */
export async function restoreToMoments(cycles: number, chance: Seeded): Promise<number> {
  const broken = new Broken();
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const field = await killField();
    const archive = join(field.folder, 'archive');
    const told = await writeAndDie(field, archive, LIFE_MS + chance.below(LIFE_MS));
    const [first, last] = spanOf(archive);
    const moments = Array.from({ length: MOMENTS }, () => first + chance.below(last - first + 1));
    for (const moment of moments) await checkMoment(field, archive, moment, told, broken);
    await followBriefly(field, archive);
    const { from } = await checkMoment(field, archive, undefined, told, broken);
    broken.where(
      told.some(({ ackedAt = 0 }) => ackedAt >= from),
      'the newest state is older than an acknowledged change',
    );
    const acknowledged = told.filter(({ ackedAt }) => ackedAt).length;
    const records = listSeries(archive).reduce((sum, series) => sum + [...readRecords(series)].length, 0);
    console.log(`cycle ${cycle}: ${acknowledged} acknowledged changes in ${last - first} ms, ${records} records`);
    field.remove();
  }
  console.log(`${cycles} kills, ${cycles * (MOMENTS + 1)} restores: ${broken.count} promises broken`);
  return broken.count;
}

async function writeAndDie(field: KillField, archive: string, lifeMs: number): Promise<Told[]> {
  const told: Told[] = [];
  const follower = startFollower(field, archive);
  await once(createInterface({ input: follower.stdout as NodeJS.ReadableStream }), 'line'); // the series has begun
  const writers = [0, 1].map(() => startWriter(field, told));
  while (new Set(told.map(({ caller }) => caller.split(':')[0])).size < writers.length) await pause(50);
  await pause(lifeMs);
  const ended = Promise.all([follower, ...writers].map((child) => once(child, 'close')));
  for (const child of [follower, ...writers]) child.kill('SIGKILL');
  await ended;
  return told;
}

function startFollower({ path }: KillField, archive: string): ChildProcess {
  const args = [
    '--disable-warning=ExperimentalWarning',
    MAIN,
    '--set',
    `store=sqlite:${path}`,
    'backup',
    'follow',
    archive,
  ];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

function startWriter({ path, keyringPath }: KillField, told: Told[]): ChildProcess {
  const child = spawn(process.execPath, [WRITER, path, keyringPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.endsWith('}')) told.push(JSON.parse(line) as Told); // the kill may truncate the last line
  });
  return child;
}

/** What was left in the WAL goes into the backup when a follower runs again. */
async function followBriefly(field: KillField, archive: string): Promise<void> {
  const follower = startFollower(field, archive);
  await once(createInterface({ input: follower.stdout as NodeJS.ReadableStream }), 'line');
  const ended = once(follower, 'exit');
  follower.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`the follower ended with ${code}`);
}

function spanOf(archive: string): [first: number, last: number] {
  const all = listSeries(archive);
  const records = all.flatMap((series) => [...readRecords(series)]);
  return [all[0]?.base.to ?? 0, records.at(-1)?.head.to ?? 0];
}

async function checkMoment(
  { folder }: KillField,
  archive: string,
  moment: number | undefined,
  told: readonly Told[],
  broken: Broken,
): Promise<Rebuilt> {
  const path = join(folder, 'rebuilt.db');
  const rebuilt = await rebuild(archive, moment, path);
  broken.where(moment !== undefined && rebuilt.to > moment, 'the state is of a later moment');
  const store = await openSqliteStore({ path, clock: () => systemClock.now() });
  for (const [grantId, lines] of Map.groupBy(told, (line) => line.grantId ?? '')) {
    const generation = (await store.load(grants, grantId)).found?.row.pair.generation ?? -1;
    const least = Math.max(
      -1,
      ...lines.map((line) => ((line.ackedAt ?? Infinity) < rebuilt.from ? line.generation : -1)),
    );
    const most = Math.max(-1, ...lines.map((line) => (line.askedAt <= rebuilt.to ? line.generation : -1)));
    broken.where(generation < least, `${grantId}: generation ${generation}, acknowledged ${least}`);
    broken.where(generation > most, `${grantId}: generation ${generation}, requested ${most}`);
  }
  await store.close();
  return rebuilt;
}
