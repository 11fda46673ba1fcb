import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { storeFile } from '../../../config/store-address.ts';
import { actWords } from '../../../core/act.ts';
import { isoTime } from '../../../core/time.ts';
import { needed, openForMove, openStore, sqliteCopies } from '../../../open-store.ts';
import {
  acceptLoss,
  carryRevocations,
  carryUses,
  countLiveGrants,
  type Ended,
  endDeviceCodes,
  endEverything,
} from '../../../operations/admin/after-restore.ts';
import {
  endAgain,
  type LostEnding,
  lostChanges,
  nameOf,
  registeredEndings,
} from '../../../operations/admin/lost-endings.ts';
import { type Move, moveStore, type Progress } from '../../../store/move.ts';
import { StoreUnusable } from '../../../store/store.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { removingAfter } from '../../terminal/files.ts';
import { counted, print, printJson, printTable, remark, result } from '../../terminal/output.ts';
import { configOf, inWorkplace, storeNamedBy, type Workplace } from '../../terminal/workplace.ts';
import { rebuildCopy } from './backup.ts';
import { endRetiredKeys, summaryOf } from './rollback.ts';

type RestoreFlags = { readonly file: string; readonly endGrants?: true; readonly at?: string };

export async function restoreFrom({ file: path, endGrants, at }: RestoreFlags, command: Command): Promise<void> {
  const from = resolve(path);
  const config = await configOf(command);
  const { file: to } = await needed(config, 'copies')();
  if (!existsSync(dirname(to)))
    throw new CommandFailure('store', `there is no folder ${dirname(to)}`, 'Make it, or check --config.');
  let carried: Carried | undefined;
  let ended: readonly LostEnding[] = [];
  let [settled, deviceCodes]: [Settled | undefined, number] = [undefined, 0];
  const settle = (restored: string, former: string | undefined) =>
    inWorkplace({ ...config, store: storeFile(restored) }, async (workplace) => {
      carried = former === undefined ? undefined : await carryFrom(former, workplace);
      ended = [...(carried?.ended ?? []), ...(await endRetiredKeys(workplace))];
      deviceCodes = endGrants ? 0 : await endDeviceCodes(workplace);
      await acceptLoss(workplace);
      settled = endGrants ? await endEverything(workplace) : { live: await countLiveGrants(workplace) };
    });
  const { before, damage } = await alone(to, () => withCopy(from, to, at, (file) => replaceBy(file, to, settle)));
  print(`Restored ${to} from ${from}`);
  if (before) print(`What was there before is in ${before}`);
  if (damage !== undefined) remark(`It was damaged: ${damage}`);
  if (before) printCarried(carried ?? NOT_CARRIED, before, endGrants);
  printEndedAgain(ended);
  if (deviceCodes > 0) print(`Ended ${counted(deviceCodes, 'device code')}: they may have been redeemed since then`);
  printLost(carried?.lost ?? []);
  const live = settled && printSettled(settled);
  result({
    store: to,
    copy: from,
    before,
    carriedRevocations: carried?.revocations,
    notCarried: before && (carried ?? NOT_CARRIED).why,
    endedAgain: ended,
    lost: carried?.lost,
    liveGrants: live,
  });
}

/** Two at once would remove each other's files. */
async function alone<T>(to: string, work: () => Promise<T>): Promise<T> {
  const path = `${to}.restoring`;
  const lock = await lockAt(path, to);
  if (!lock) throw new CommandFailure('store', `another tessera restore works on ${to}`, 'Wait until it has ended.');
  try {
    return await removingAfter([path], work);
  } finally {
    lock.release();
  }
}

/** A lock that somebody else has left may be in the way. */
async function lockAt(path: string, to: string) {
  const { lockFile } = await sqliteCopies();
  try {
    return lockFile(path);
  } catch (error) {
    const todo = existsSync(path) ? `If no tessera restore runs, remove ${path}` : CANNOT_WRITE;
    throw new CommandFailure('store', `${to} cannot be replaced: ${(error as Error).message}`, todo);
  }
}

const CANNOT_WRITE = 'It was left as it is. Look at the disk: its space, and who may write there.';

/** What was carried over from the store that was replaced, and why not all of it. */
interface Carried {
  why?: string;
  revocations?: number;
  ended: readonly LostEnding[];
  lost: Awaited<ReturnType<typeof lostChanges>>;
}

const NOT_CARRIED: Carried = { why: 'there is no database', ended: [], lost: [] };
type Settled = Ended | { readonly live: number };

/** Calls `use` with a copy of a store. One from a continuous backup is made beside the store, and removed afterwards. */
async function withCopy<T>(from: string, to: string, at: string | undefined, use: (file: string) => Promise<T>) {
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    if (at !== undefined) throw new CommandFailure('usage', '--at needs a continuous backup, which is a folder');
    return use(from);
  }
  const file = `${to}.rebuilt`;
  return removingAfter([file], async () => {
    await rebuildCopy(from, at, file);
    return use(file);
  });
}

async function replaceBy(
  file: string,
  to: string,
  prepare: (restored: string, former: string | undefined) => Promise<void>,
): Promise<{ readonly before: string | undefined; readonly damage: string | undefined }> {
  const { restore, unfinishedRestore, whyNoCopy, isBusy } = await sqliteCopies();
  const why = whyNoCopy(file);
  if (why) throw new CommandFailure('refused', `${file} is not a copy of a store: ${why}`);
  return removingAfter(unfinishedRestore(to), () => restore(file, to, prepare)).catch((error: Error) => {
    if (error instanceof StoreUnusable)
      throw new CommandFailure('store', `${file} cannot be restored: ${error.message}`, error.todo);
    const todo = isBusy(error) ? 'Stop the service, and tessera backup follow if it runs, first.' : CANNOT_WRITE;
    throw new CommandFailure('store', `${to} cannot be replaced: ${error.message}`, todo);
  });
}

/** The replaced store may be damaged or of a later release: that may be why a copy was restored. */
async function carryFrom(former: string, workplace: Workplace): Promise<Carried> {
  const carried: Carried = { ended: [], lost: [] };
  try {
    const store = await openStore({ store: storeFile(former) }, 'command');
    try {
      carried.lost = await lostChanges(store, workplace); // first: the event log of the copy grows from here on
      const ended = await registeredEndings(store, workplace);
      await endAgain(ended, workplace);
      carried.ended = ended;
      await carryUses(store, workplace);
      carried.revocations = await carryRevocations(store, workplace);
    } finally {
      await store.close();
    }
  } catch (error) {
    carried.why = (error as Error).message;
  }
  return carried;
}

/** The rest is in the event log of the store that was replaced. */
const MOST_SHOWN = 20;

function printCarried({ why, revocations = 0 }: Carried, before: string, endGrants?: true): void {
  if (why === undefined) {
    print(`Carried over ${counted(revocations, 'revocation')} from it`);
    return;
  }
  const left = endGrants ? 'Identities' : 'Grants, browser sessions, identities';
  remark(`What ended since the copy was taken could not be carried over: ${why}`);
  remark(`  ${left}, integrations, resource servers, issuers, secrets and keys that ended since then work again.`);
  remark(`  To see which, with the release that wrote it: tessera --set store=sqlite:${before} events`);
}

function printEndedAgain(ended: readonly LostEnding[]): void {
  if (ended.length === 0) return;
  print(`Ended again: ${summaryOf(ended)}`);
  const lines = ended.map(({ kind, id }) => [nameOf(kind).one, id]);
  printTable(['what', 'id'], lines);
}

function printLost(lost: Carried['lost']): void {
  if (lost.length === 0) return;
  remark('Done since the copy was taken, and lost. Repeat what is still wanted:');
  for (const act of lost.slice(-MOST_SHOWN)) remark(`  ${isoTime(act.at)}  ${actWords(act)} ${act.id}`);
  if (lost.length > MOST_SHOWN) remark(`  and ${lost.length - MOST_SHOWN} earlier ones`);
}

/** Returns how many grants are live. */
function printSettled(settled: Settled): number {
  if ('grants' in settled) {
    const { grants, deviceCodes, sessions } = settled;
    const ended = [counted(grants, 'grant'), counted(deviceCodes, 'device code'), counted(sessions, 'browser session')];
    print(`Ended ${ended.join(', ')}`);
    return 0;
  }
  if (settled.live === 0) return 0;
  remark(`Live again, as when the copy was taken: ${counted(settled.live, 'grant')}.`);
  remark('  Grants that ended since then and were not carried over work again. To end all grants, add --end-grants.');
  remark('  Passwords and registrations are those of the copy, except for what was ended.');
  return settled.live;
}

type MoveFlags = { readonly to: string; readonly from?: string; readonly json?: true };

export async function migrateStore({ from, to, json }: MoveFlags, command: Command): Promise<void> {
  const at = storeNamedBy('--to', to);
  const old = from === undefined ? await configOf(command) : storeNamedBy('--from', from);
  const { source, target } = await openForMove(old, at);
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
  const lines = moved.map(({ what, rows, written }) => [what, rows, written]);
  printTable(['what', 'rows', 'written'], lines);
  const [says, ...next] = isComplete ? COMPLETE : INCOMPLETE;
  print(`\n${says}\n\nNext:`);
  for (const [index, step] of next.entries()) print(`  ${index + 1}. ${step}`);
}

const COMPLETE = [
  'Moved, and both stores were compared. The old store is kept, and marked as moved: no service starts on it.',
  'Set store: in the configuration of every node to this address, with the role that nodes use. The keyring stays the same.',
  'Check it:  tessera doctor',
  'Start:     tessera serve',
] as const;

const INCOMPLETE = [
  'Copied, but not complete: another process has the old store open and may change it.',
  'Stop the service.',
  'Run the same command once more. It writes only what has changed, and proves that both stores are equal.',
] as const;

/** Prints a line if it is of another kind than the one before, and again after a while. */
function remarkOnce(): (line: string) => void {
  let [last, printedAt] = ['', 0];
  return (line) => {
    const kind = line.split(' ', 1).join();
    if (kind === last && performance.now() - printedAt < REPORT_MS) return;
    [last, printedAt] = [kind, performance.now()];
    remark(line);
  };
}

export async function migrateSchema({ as }: { as: string }): Promise<void> {
  const { before, now } = await needed(storeNamedBy('--as', as), 'migrateSchema')(remarkOnce());
  print(before === now ? `The database has schema ${now}: nothing to do` : `The database has schema ${now} now`);
  result({ before, now });
}
