// Keeps a continuous backup of a store while other processes write it.
import { closeSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { syncPath } from '../../../written-file.ts';
import { lockFile } from '../connection.ts';
import {
  type Base,
  basePath,
  baseText,
  completeFiles,
  endOf,
  hashOfFile,
  makeSeriesFolder,
  readSeries,
  removeOld,
  removeUnfinished,
  type Series,
  seriesFolders,
} from './archive.ts';
import { BackupRefused, DamagedBackup } from './records.ts';
import { type SeriesOptions, SeriesWriter } from './series-writer.ts';
import { WalFollower } from './wal-follower.ts';

/** How often the WAL is read. A restore is exact to this. */
const READ_EVERY_MS = 50;

export interface FollowOptions extends SeriesOptions {
  readonly store: string;
  readonly archive: string;
  readonly keepMs: number;
  readonly onSeries: (series: Series) => void;
  /** The last series cannot be continued because a file of it is damaged; a new one begins. */
  readonly onDamage: (why: string) => void;
  readonly signal: AbortSignal;
}

const ONE_FOLLOWER = 'Stop it, or give this one a folder of its own.';

/** Resolves after `signal`, when everything committed until then is in the archive. */
export async function followStore(options: FollowOptions): Promise<void> {
  const lock = lockFile(join(options.archive, 'follower.lock'));
  if (!lock) throw new BackupRefused(`another follower writes to ${options.archive}`, ONE_FOLLOWER);
  try {
    await followAlone({ ...options, store: realpathSync(options.store) });
  } finally {
    lock.release();
  }
}

async function followAlone(options: FollowOptions): Promise<void> {
  removeUnfinished(options.archive);
  for (const path of completeFiles(options.archive)) options.onComplete(path);
  let writer = resumeSeries(options);
  while (!options.signal.aborted) {
    writer ??= await beginSeries(options);
    writer.step();
    if (writer.isDue) {
      const next: SeriesWriter = await beginNext(writer, options);
      writer.finish();
      writer = next;
      const { archive, milliseconds, keepMs, seriesMs } = options;
      removeOld(archive, milliseconds() - keepMs, Math.max(1, Math.floor(keepMs / seriesMs)));
    }
    await sleep(READ_EVERY_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
  writer?.finish();
}

/** Begins a series with a copy of the store, which may take long: meanwhile the last series goes on. */
async function beginNext(last: SeriesWriter, options: FollowOptions): Promise<SeriesWriter> {
  const beginning = beginSeries(options);
  const isOver = beginning.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([isOver, sleep(READ_EVERY_MS)]))) last.step();
  return beginning;
}

/** Goes on with the last series if nothing was missed since. */
function resumeSeries(options: FollowOptions): SeriesWriter | undefined {
  const found = lastSeries(options);
  if (!found) return undefined;
  const { series, end } = found;
  const follower = new WalFollower(options.store, end.position);
  const { backlog } = follower;
  if (!backlog) {
    follower.close();
    return undefined;
  }
  const writer = new SeriesWriter(series, follower, end, options);
  writer.append(backlog, options.milliseconds());
  options.onSeries(series);
  return writer;
}

/** The last series and its end; undefined if there is none that can be continued. */
function lastSeries({ archive, store, onDamage }: FollowOptions) {
  const folder = seriesFolders(archive).at(-1);
  if (folder === undefined) return undefined;
  try {
    const series = readSeries(folder);
    refuseOtherStore(archive, store, series.base);
    return { series, end: endOf(series) };
  } catch (error) {
    if (!(error instanceof DamagedBackup)) throw error;
    onDamage(error.message);
    return undefined;
  }
}

/** A restore takes the newest state in a folder, so a folder is for one store. */
function refuseOtherStore(archive: string, store: string, base: Base): void {
  if (base.store === store) return;
  throw new BackupRefused(
    `${archive} is the backup of ${base.store}, not of ${store}`,
    'Choose another folder. If the store was moved, rename the old folder.',
  );
}

async function beginSeries(options: FollowOptions): Promise<SeriesWriter> {
  const from = options.milliseconds();
  const follower = new WalFollower(options.store);
  const to = options.milliseconds();
  const folder = makeSeriesFolder(options.archive, to);
  try {
    const series = await copyBase(folder, follower, { from, to, store: options.store });
    options.onComplete(basePath(folder));
    options.onComplete(join(folder, 'base.json'));
    options.onSeries(series);
    return new SeriesWriter(series, follower, endOf(series), options);
  } catch (error) {
    follower.close();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function copyBase(
  folder: string,
  follower: WalFollower,
  beginning: Required<Pick<Base, 'from' | 'to' | 'store'>>,
): Promise<Series> {
  const file = basePath(folder);
  closeSync(openSync(file, 'w', 0o600));
  await backup(follower.snapshot, file).catch(({ message }: Error) => {
    throw new BackupRefused(`the store cannot be copied to ${file}: ${message}`, 'Check the free space there.');
  });
  const pageSize = Number(follower.snapshot.prepare('PRAGMA page_size').get()?.['page_size']);
  const base: Base = { ...beginning, position: follower.position, pageSize, hash: await hashOfFile(file) };
  const unfinished = join(folder, 'base.json.unfinished');
  writeFileSync(unfinished, baseText(base), { mode: 0o600, flush: true });
  renameSync(unfinished, join(folder, 'base.json'));
  for (const path of [folder, join(folder, '..')]) syncPath(path);
  return { folder, base };
}
