import { existsSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Seconds } from '../../../core/time.ts';
import { continuousBackup, needed, sqliteCopies } from '../../../open-store.ts';
import { systemClock } from '../../../system.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { removingAfter } from '../../terminal/files.ts';
import { counted, print, printJson, printTable, remark, result } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';
import { Shipping } from './ship-files.ts';

export async function backUpTo({ file: path }: { readonly file?: string }, command: Command): Promise<void> {
  if (path === undefined) throw new CommandFailure('usage', 'the name of the copy is missing', 'tessera backup FILE');
  const file = resolve(path);
  const { file: from, backUp, unfinishedFiles, isFull } = await needed(await configOf(command), 'copies')();
  if (existsSync(file))
    throw new CommandFailure('refused', `${file} exists`, 'Choose another name; nothing is overwritten.');
  const onProgress = (part: number) => process.stderr.isTTY && process.stderr.write(`\r${Math.floor(part * 100)} %`);
  await removingAfter(unfinishedFiles(file), () => backUp(from, file, onProgress)).catch((error: Error) => {
    if (!isFull(error)) throw error;
    throw new CommandFailure(
      'refused',
      `${file}: the disk is full`,
      'Free some space there, or copy to another disk. Nothing was copied.',
    );
  });
  if (process.stderr.isTTY) remark('');
  print(`Copied ${from} to ${file} (mode 0600)`);
  result({ store: from, copy: file });
}

type FollowFlags = Readonly<Record<'keep' | 'series' | 'segment', Seconds>> & {
  readonly folder: string;
  readonly command?: string;
};

export async function follow({ folder, ...flags }: FollowFlags, command: Command): Promise<void> {
  const archive = resolve(folder);
  const { file: store, followStore, BackupRefused } = await needed(await configOf(command), 'follows')();
  if (!existsSync(store)) throw new CommandFailure('store', `there is no store at ${store}`, 'Check --config.');
  const found = statSync(archive, { throwIfNoEntry: false });
  if (found?.isDirectory() === false)
    throw new CommandFailure('refused', `${archive} is not a folder`, 'Name a folder.');
  if (!found) mkdirSync(archive, { mode: 0o700 }); // not its parents: their disk may not be mounted
  const shipping = flags.command === undefined ? undefined : new Shipping(archive, flags.command, remark);
  await followStore({
    store,
    archive,
    milliseconds: systemClock.milliseconds,
    keepMs: flags.keep * 1000,
    seriesMs: flags.series * 1000,
    segmentMs: flags.segment * 1000,
    onComplete: (path) => shipping?.add(path),
    onSeries: ({ folder: series }) => print(`Backing up ${store} to ${series}`),
    onDamage: (why) => remark(`${why}: a new series begins`),
    signal: firstSignal(),
  }).catch((error: Error) => {
    throw error instanceof BackupRefused ? new CommandFailure('refused', error.message, error.todo) : error;
  });
  const unshipped = (await shipping?.finished()) ?? 0;
  if (unshipped > 0)
    throw new CommandFailure(
      'refused',
      `the command did not succeed for ${counted(unshipped, 'file')}`,
      'They are still in the folder: the next start runs it again.',
    );
}

function firstSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

/** Makes a copy of a store from a continuous backup. */
export async function rebuildCopy(archive: string, at: string | undefined, file: string): Promise<void> {
  const { rebuild } = await continuousBackup();
  const moment = at === undefined ? undefined : momentOf(at);
  const { to, records } = await rebuild(archive, moment, file).catch((error: Error) => {
    throw new CommandFailure('refused', `${archive} cannot be restored: ${error.message}`);
  });
  print(`Rebuilt the state of ${new Date(to).toISOString()} from ${counted(records, 'record')}`);
}

function momentOf(text: string): number {
  const moment = Date.parse(text);
  if (!Number.isNaN(moment)) return moment;
  throw new CommandFailure('usage', `${text} is not a time`, 'Write --at 2026-11-15T09:30:00Z.');
}

export async function verify({ backup: path, json }: { readonly backup: string; readonly json?: true }): Promise<void> {
  const from = resolve(path);
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory()) return verifySeries(from, json);
  const { whyNoCopy } = await sqliteCopies();
  const why = whyNoCopy(from);
  if (why) throw new CommandFailure('refused', `${from} is not a copy of a store: ${why}`);
  print(`${from} is a sound copy`);
  result({ copy: from });
}

async function verifySeries(archive: string, json?: true): Promise<void> {
  const { seriesFolders } = await continuousBackup();
  const all = seriesFolders(archive);
  if (all.length === 0) throw new CommandFailure('refused', `there is no continuous backup in ${archive}`);
  const place = mkdtempSync(join(tmpdir(), 'tessera-verify-'));
  const [sound, damages]: [Span[], string[]] = [[], []];
  await removingAfter([place], async () => {
    for (const folder of all) {
      const found = await verifyOne(folder, join(place, 'rebuilt.db'));
      if (typeof found === 'string') damages.push(found);
      else sound.push(found);
    }
  });
  if (json) printJson(sound);
  else if (sound.length > 0) printTable(['from', 'to', 'records'], sound.map(Object.values));
  if (damages.length > 0)
    throw new CommandFailure(
      'refused',
      `${counted(damages.length, 'series', 'series')} of ${all.length} cannot be restored to the end:\n  ${damages.join('\n  ')}`,
    );
}

type Span = { readonly from: string; readonly to: string; readonly records: number };

/** From when to when it can be restored, or what is damaged. */
async function verifyOne(folder: string, file: string): Promise<Span | string> {
  const { readSeries, rebuildFrom, DamagedBackup } = await continuousBackup();
  try {
    const series = readSeries(folder);
    const { to, records } = await rebuildFrom(series, Number.POSITIVE_INFINITY, file);
    return { from: new Date(series.base.to).toISOString(), to: new Date(to).toISOString(), records };
  } catch (error) {
    if (error instanceof DamagedBackup) return error.message;
    throw error;
  }
}
