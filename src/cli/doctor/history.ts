import { signWords } from '../../core/rules/rollback.ts';
import { isoTime } from '../../core/time.ts';
import { endingsFromActs, type LostEnding, nameOf } from '../../operations/admin/lost-endings.ts';
import type { Store } from '../../store/store.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { bad, type Finding, good } from './finding.ts';

/** `tessera store history` lists all. */
const MOST_SHOWN = 10;

const COMMANDS: Readonly<Record<LostEnding['kind'], string>> = {
  grant: 'tessera grant revoke ID',
  integration: 'tessera integration disable ID',
  identity: 'tessera identity disable ID',
  passkey: 'tessera identity passkey remove ID --all',
  issuer: 'tessera issuer remove ID',
  'token-issuer': 'tessera token-issuer remove ID',
  'resource-server': 'tessera resource-server remove ID --yes',
  'signing-key': 'tessera keyring retire ID --at-once',
  key: 'tessera keyring retire ID --at-once',
};

/** Whether the store was put back to an older state, as far as nodes noticed, and what works again that had ended. */
export async function examineHistory(store: Store): Promise<Finding[]> {
  const { epoch, rollback } = await readHistory(store);
  if (!rollback) return [good('history', `epoch ${epoch}; no node noticed a rollback`)];
  const says = `the store was put back to an older state: ${signWords(rollback)} (epoch ${epoch})`;
  const todo =
    'See docs/postgresql.md, A database that was put back. In the end: tessera store accept-rollback --end-again';
  const back = await endingsFromActs(rollback.lost, { store });
  return [bad('history', says, todo), ...back.slice(0, MOST_SHOWN).map(worksAgain), ...rest(back.length - MOST_SHOWN)];
}

function worksAgain({ kind, id, at }: LostEnding): Finding {
  const when = at === undefined ? '' : ` at ${isoTime(at)}`;
  const says = `the ${nameOf(kind).one} ${id} had ended${when}, and works again`;
  return bad('history', says, `Do: ${COMMANDS[kind].replace('ID', id)}`);
}

function rest(more: number): Finding[] {
  return more > 0 ? [bad('history', `${more} more work again`, 'List them: tessera store history')] : [];
}
