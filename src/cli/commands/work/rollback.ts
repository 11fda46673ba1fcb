// A store that was put back to an older state: what came back with it, and how an operator accepts it.
import type { Command } from 'commander';
import type { Rollback, StoreHistory } from '../../../core/store-history.ts';
import { isoTime } from '../../../core/time.ts';
import { openStore } from '../../../open-store.ts';
import { acceptRollback } from '../../../operations/admin/accept-rollback.ts';
import { decline } from '../../../operations/admin/admin.ts';
import { type CameBack, cameBackFromActs, cameBackFromCopy, endAgain } from '../../../operations/admin/came-back.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import { counted, print, printJson, printTable } from '../../terminal/output.ts';
import { storeNamedBy } from '../../terminal/store-address.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace, type Workplace } from '../../terminal/workplace.ts';

export interface HistoryFlags {
  readonly copy?: string;
  readonly json?: true;
}

export function printHistory(flags: HistoryFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const history = await readHistory(workplace.store);
    const back = await cameBack(history, flags, workplace);
    if (flags.json) return printJson({ ...history, cameBack: back });
    print(`Epoch ${history.epoch}`);
    if (history.rollback) printRollback(history.rollback);
    else print('No node has noticed that the store was put back.');
    if (history.rollback || flags.copy !== undefined) printCameBack(back);
  });
}

function printRollback({ seen, found, noticedAt, lost, unlisted }: Rollback): void {
  print(`Put back: nodes had seen event ${seen}, and at ${isoTime(noticedAt)} the store ended at ${found}`);
  const acts = counted(lost.length + unlisted, 'revocation or act of an operator', 'revocations and acts of operators');
  print(`Lost, as far as nodes remember: ${acts}`);
  if (lost.length === 0) return;
  printTable(
    ['when', 'act', 'about'],
    lost.map(({ at, type, detail, subjectId, clientId, identityId }) => [
      isoTime(at),
      type === 'revoked' ? 'grant revoked' : String(detail?.['did']),
      subjectId ?? clientId ?? identityId ?? detail?.['issuer']?.toString(),
    ]),
  );
}

function printCameBack(back: readonly CameBack[]): void {
  print(back.length === 0 ? '\nNothing that had ended works again.' : '\nHad ended, and works again:');
  if (back.length > 0)
    printTable(
      ['what', 'id', 'had ended'],
      back.map(({ kind, id, at }) => [kind, id, at && isoTime(at)]),
    );
}

export interface AcceptFlags extends HistoryFlags {
  readonly endAgain?: true;
  readonly leave?: true;
}

export function acceptPutBack(flags: AcceptFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const back = await cameBack(await readHistory(workplace.store), flags, workplace);
    if (back.length > 0 && !flags.endAgain && !flags.leave) accepted(decline('rollback-open', summaryOf(back)));
    const ended = flags.endAgain ? back : [];
    for (const each of ended) await endAgain(each, workplace);
    const { epoch } = accepted(await acceptRollback(workplace));
    if (flags.json) return printJson({ epoch, endedAgain: ended, left: flags.endAgain ? [] : back });
    if (ended.length > 0) print(`Ended again: ${summaryOf(ended)}`);
    print(
      `Accepted: epoch ${epoch} begins. Nodes are ready again within seconds; start programs that follow events anew.`,
    );
  });
}

export function summaryOf(back: readonly CameBack[]): string {
  const kinds = Map.groupBy(back, ({ kind }) => kind);
  return [...kinds].map(([kind, each]) => counted(each.length, kind, NAMES[kind])).join(', ');
}

const NAMES: Readonly<Record<CameBack['kind'], string>> = {
  grant: 'grants',
  integration: 'integrations',
  identity: 'identities',
  issuer: 'issuers',
};

/** What nodes remembered, and what a kept copy shows. */
async function cameBack(
  { rollback }: StoreHistory,
  { copy }: HistoryFlags,
  workplace: Workplace,
): Promise<readonly CameBack[]> {
  const remembered = await cameBackFromActs(rollback?.lost ?? [], workplace);
  const kept = copy === undefined ? [] : await fromCopy(copy, workplace);
  return [...new Map([...kept, ...remembered].map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

async function fromCopy(address: string, workplace: Workplace): Promise<readonly CameBack[]> {
  const copy = await openStore(storeNamedBy('--copy', address), 'command');
  try {
    return await cameBackFromCopy(copy, workplace);
  } finally {
    await copy.close();
  }
}
