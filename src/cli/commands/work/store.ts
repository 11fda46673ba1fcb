import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { migratePostgresSchema, openForMove, openStore, sqliteCopies } from '../../../open-store.ts';
import { carryRevocations, countLiveGrants, endEverything } from '../../../operations/admin/after-restore.ts';
import { type Move, moveStore, type Progress } from '../../../store/move.ts';
import { Secret } from '../../../tokens/secret.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted, print, printJson, printTable, remark, result } from '../../terminal/output.ts';
import { refusePassword, sqlitePath } from '../../terminal/store-address.ts';
import { removingAfter } from '../../terminal/unfinished-files.ts';
import { atWorkplace, configOf, type Workplace } from '../../terminal/workplace.ts';
import { rebuildCopy } from './backup.ts';

export interface RestoreFlags {
  readonly endGrants?: true;
  readonly at?: string;
}

export async function restoreFrom(path: string, { endGrants, at }: RestoreFlags, command: Command): Promise<void> {
  const from = resolve(path);
  const to = sqlitePath(await configOf(command));
  const before = await withCopy(from, to, at, (file) => replaceBy(file, to));
  print(`Restored ${to} from ${from}`);
  if (before) print(`What was there before is in ${before}`);
  await atWorkplace(command, async (workplace) => {
    const carried = before && (await carryFrom(before, workplace));
    const live = endGrants ? await endAll(workplace) : await warnOfLive(workplace);
    result({ store: to, copy: from, before, carriedRevocations: carried, liveGrants: live });
  });
}

/** Calls `use` with a copy of a store. One from a continuous backup is made beside the store, and removed afterwards. */
async function withCopy<T>(
  from: string,
  to: string,
  at: string | undefined,
  use: (file: string) => Promise<T>,
): Promise<T> {
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    if (at) throw new CommandFailure('usage', '--at needs a continuous backup, which is a folder');
    return use(from);
  }
  const file = `${to}.rebuilt`;
  return removingAfter([file], async () => {
    await rebuildCopy(from, at, file);
    return use(file);
  });
}

async function replaceBy(file: string, to: string): Promise<string | undefined> {
  const { restore, unfinishedRestore, whyNoCopy } = await sqliteCopies();
  const why = whyNoCopy(file);
  if (why) throw new CommandFailure('refused', `${file} is not a copy of a store: ${why}`);
  return removingAfter(unfinishedRestore(to), () => restore(file, to)).catch((error: Error) => {
    throw new CommandFailure('store', `${to} cannot be replaced: ${error.message}`, 'Stop the service first.');
  });
}

/** The replaced store may be damaged: that may be why a copy was restored. */
async function carryFrom(before: string, workplace: Workplace): Promise<number | undefined> {
  try {
    const former = await openStore({ store: { kind: 'sqlite', path: before } }, 'command');
    try {
      const carried = await carryRevocations(former, workplace);
      print(`Carried over ${counted(carried, 'revocation')} from it`);
      return carried;
    } finally {
      await former.close();
    }
  } catch (error) {
    remark(`Its revocations could not be carried over: ${(error as Error).message}`);
    return undefined;
  }
}

/** Returns how many grants are live then. */
async function endAll(workplace: Workplace): Promise<number> {
  const { grants, deviceCodes, sessions } = await endEverything(workplace);
  const ended = [counted(grants, 'grant'), counted(deviceCodes, 'device code'), counted(sessions, 'browser session')];
  print(`Ended ${ended.join(', ')}`);
  return 0;
}

async function warnOfLive(workplace: Workplace): Promise<number> {
  const live = await countLiveGrants(workplace);
  if (live === 0) return live;
  remark(`Live again, as when the copy was taken: ${counted(live, 'grant')}.`);
  remark('  Grants that ended since then and were not carried over work again. To end all grants, add --end-grants.');
  return live;
}

export interface MoveFlags {
  readonly to: string;
  readonly from?: string;
  readonly json?: true;
}

export async function migrateStore({ from, to, json }: MoveFlags, command: Command): Promise<void> {
  refusePassword(to);
  const config = await configOf(command);
  const path = from ? sqliteAddress(from) : sqlitePath(config);
  if (!existsSync(path)) throw new CommandFailure('store', `there is no store at ${path}`, 'Check --from or --config.');
  const { source, target } = await openForMove(path, to);
  try {
    const move = await moveStore(source, target, reportNowAndThen());
    if (json) printJson(move);
    else printMove(move);
  } finally {
    await Promise.all([source.backEnd.close(), target.close()]);
  }
}

/** How often a long move says how far it has come. A short one prints its counts at the end only. */
const REPORT_MS = 5_000;

function reportNowAndThen(): (progress: Progress) => void {
  let reportedAt = performance.now();
  return ({ what, rows, written }) => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    remark(`${what}: ${rows} seen, ${written} written`);
  };
}

function printMove({ moved, isComplete }: Move): void {
  printTable(
    ['what', 'rows', 'written'],
    moved.map(({ what, rows, written }) => [what, rows, written]),
  );
  const [says, ...next] = isComplete ? COMPLETE : INCOMPLETE;
  print(`\n${says}\n\nNext:`);
  for (const [index, step] of next.entries()) print(`  ${index + 1}. ${step}`);
}

const COMPLETE = [
  'Moved, and proved by counts and checksums. The old store is kept, and marked as moved: no service starts on it.',
  'Set store: in the configuration of every node to this address, with the role that nodes use. The keyring stays the same.',
  'Check it:  tessera doctor',
  'Start:     tessera serve',
] as const;

const INCOMPLETE = [
  'Copied, but not complete: another process has the old store open and may change it.',
  'Stop the service.',
  'Run the same command once more. It writes only what has changed, and proves that both stores are equal.',
] as const;

export async function migrateSchema({ as }: { as: string }): Promise<void> {
  refusePassword(as);
  const { before, now } = await migratePostgresSchema(new Secret(as));
  print(before === now ? `The database has schema ${now}: nothing to do` : `The database has schema ${now} now`);
  result({ before, now });
}

function sqliteAddress(address: string): string {
  if (address.startsWith('sqlite:')) return resolve(address.slice('sqlite:'.length));
  throw new CommandFailure('usage', 'only SQLite stores are moved', 'Write --from sqlite:PATH.');
}
