// A store that was put back to an older state: what works again because of it, and how an operator accepts it.
import { actWords } from '../../../core/act.ts';
import { signWords } from '../../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../../core/store-history.ts';
import { isoTime } from '../../../core/time.ts';
import { openKeyring } from '../../../open-keyring.ts';
import { openStore } from '../../../open-store.ts';
import { decline } from '../../../operations/admin/admin.ts';
import { acceptRollback, heardHistory, noticeByCopy } from '../../../operations/admin/after-restore.ts';
import {
  endAgain,
  endingsFromActs,
  endingsFromCopy,
  type LostEnding,
  nameOf,
} from '../../../operations/admin/lost-endings.ts';
import { alignWithKeyring } from '../../../operations/admin/signing-keys.ts';
import type { Store } from '../../../store/store.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import { KeyringFault } from '../../../tokens/keyring.ts';
import { counted, print, printJson, printTable, remark } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import { storeNamedBy } from '../../terminal/workplace.ts';

type HistoryFlags = { readonly copy?: string; readonly json?: true };

export async function printHistory(flags: HistoryFlags, workplace: Workplace): Promise<void> {
  const history = await readHistory(workplace.store);
  const back = await lostEndings(history, flags, workplace);
  if (flags.json) return printJson({ ...history, worksAgain: back });
  print(`Epoch ${history.epoch}`);
  if (history.rollback) printRollback(history.rollback);
  else
    print(
      'No node has noticed that the store was put back. If all were stopped meanwhile, give the later state: --copy',
    );
  if (history.rollback || flags.copy !== undefined) printWorking(back);
}

function printRollback(rollback: Rollback): void {
  const { lost, unlisted } = rollback;
  print(`Put back: ${signWords(rollback)}`);
  const acts = counted(lost.length + unlisted, 'revocation or act of an operator', 'revocations and acts of operators');
  print(`Lost, as far as nodes remember: ${acts}`);
  if (lost.length === 0) return;
  printTable(
    ['when', 'act', 'about'],
    lost.map((event) => [
      isoTime(event.at),
      ...(event.type === 'administered'
        ? [actWords(event.detail), event.detail.id]
        : ['grant revoked', event.subjectId]),
    ]),
  );
}

function printWorking(back: readonly LostEnding[]): void {
  print(back.length === 0 ? '\nNothing that had ended works again.' : '\nHad ended, and works again:');
  if (back.length > 0)
    printTable(
      ['what', 'id', 'had ended'],
      back.map(({ kind, id, at }) => [nameOf(kind).one, id, at && isoTime(at)]),
    );
}

type AcceptFlags = HistoryFlags & { readonly endAgain?: true; readonly leave?: true };

export async function acceptPutBack(flags: AcceptFlags, workplace: Workplace): Promise<void> {
  const history = await heardHistory(workplace);
  const unheard = history.rollback?.awaited ?? [];
  if (unheard.length > 0)
    remark(
      `These nodes did not answer or have forgotten something; what they remembered may be missing: ${unheard.join(', ')}`,
    );
  const back = await lostEndings(history, flags, workplace);
  if (back.length > 0 && !flags.endAgain && !flags.leave) accepted(decline('rollback-open', summaryOf(back)));
  if (!history.rollback && flags.copy !== undefined)
    await withCopy(flags.copy, (copy) => noticeByCopy(copy, workplace));
  const { epoch: last, rollback } = await readHistory(workplace.store);
  if (!rollback) accepted(decline('rollback-none', String(last)));
  const again = flags.endAgain ? back : [];
  await endAgain(again, workplace);
  const ended = [...again, ...(await endRetiredKeys(workplace))];
  const { epoch } = accepted(await acceptRollback(workplace, history.rollback));
  if (flags.json) return printJson({ epoch, endedAgain: ended, left: flags.endAgain ? [] : back });
  if (ended.length > 0) print(`Ended again: ${summaryOf(ended)}`);
  print(
    `Accepted: epoch ${epoch} begins. Nodes are ready again within seconds; start programs that follow events anew.`,
  );
}

export function summaryOf(back: readonly LostEnding[]): string {
  const kinds = Map.groupBy(back, ({ kind }) => kind);
  const countOf = (each: readonly LostEnding[]) => new Set(each.map(({ id }) => id)).size;
  return [...kinds].map(([kind, each]) => counted(countOf(each), nameOf(kind).one, nameOf(kind).many)).join(', ');
}

/** Returns what was ended. A keyring that does not fit does not stop a restore: the service compares them again when it starts. */
export async function endRetiredKeys(workplace: Workplace): Promise<readonly LostEnding[]> {
  try {
    return await alignWithKeyring(await openKeyring(workplace.config, workplace.store), workplace);
  } catch (error) {
    if (!(error instanceof KeyringFault)) throw error;
    remark(`The keyring was not compared with the store: ${error.message}`);
    return [];
  }
}

/** What nodes remembered, and what a kept copy shows. */
async function lostEndings(
  { rollback }: StoreHistory,
  { copy }: HistoryFlags,
  workplace: Workplace,
): Promise<readonly LostEnding[]> {
  const remembered = await endingsFromActs(rollback?.lost ?? [], workplace);
  const kept = copy === undefined ? [] : await withCopy(copy, (opened) => endingsFromCopy(opened, workplace));
  const all = [...kept, ...remembered];
  return [...new Map(all.map((ending) => [JSON.stringify({ ...ending, at: undefined }), ending])).values()];
}

async function withCopy<T>(address: string, use: (copy: Store) => Promise<T>): Promise<T> {
  const copy = await openStore(storeNamedBy('--copy', address), 'command');
  try {
    return await use(copy);
  } finally {
    await copy.close();
  }
}
