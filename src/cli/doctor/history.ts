import { isoTime } from '../../core/time.ts';
import { type CameBack, cameBackFromActs } from '../../operations/admin/came-back.ts';
import type { Store } from '../../store/store.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { bad, type Finding, good } from './finding.ts';

/** `tessera store history` lists all. */
const MOST_SHOWN = 10;

const REMEDIES: Readonly<Record<CameBack['kind'], string>> = {
  grant: 'Do: tessera grant revoke',
  integration: 'Do: tessera integration disable',
  identity: 'Do: tessera identity disable',
  issuer: 'Do: tessera issuer remove',
};

/** Whether the store was put back to an older state, as far as nodes noticed, and what works again that had ended. */
export async function examineHistory(store: Store): Promise<Finding[]> {
  const { epoch, rollback } = await readHistory(store);
  if (!rollback) return [good('history', `epoch ${epoch}; no node noticed a rollback`)];
  const { seen, found, noticedAt } = rollback;
  const says = `the store was put back to an older state: nodes had seen event ${seen}, and at ${isoTime(noticedAt)} it ended at ${found} (epoch ${epoch})`;
  const todo = 'See docs/postgresql.md, A database that was put back. In the end: tessera store accept-rollback';
  const back = await cameBackFromActs(rollback.lost, { store });
  return [bad('history', says, todo), ...back.slice(0, MOST_SHOWN).map(worksAgain), ...rest(back.length - MOST_SHOWN)];
}

function worksAgain({ kind, id, at }: CameBack): Finding {
  const when = at === undefined ? '' : ` at ${isoTime(at)}`;
  return bad('history', `the ${kind} ${id} had ended${when}, and works again`, `${REMEDIES[kind]} ${id}`);
}

function rest(more: number): Finding[] {
  return more > 0 ? [bad('history', `${more} more work again`, 'List them: tessera store history')] : [];
}
