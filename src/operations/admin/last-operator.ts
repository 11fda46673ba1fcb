// An act over the network leaves an operator, since nobody could undo it there. A command beside the store can.
import type { Identity } from '../../core/identity.ts';
import { isOperator } from '../../core/rules/operator.ts';
import { rows } from '../../store/pages.ts';
import { identities } from '../../store/tables/identities.ts';
import { type AdminPorts, decline } from './admin.ts';

/** `next`: the identities that an act writes. */
export async function whyNotWithoutOperator(
  next: readonly Identity[],
  { store, by }: Pick<AdminPorts, 'store' | 'by'>,
) {
  if (by.as !== 'identity') return undefined;
  const loaded = await Promise.all(next.filter((row) => !isOperator(row)).map(({ id }) => store.load(identities, id)));
  const last = loaded.flatMap(({ found }) => (found && isOperator(found.row) ? found.row : []))[0];
  if (!last || next.some(isOperator)) return undefined;
  const ids = new Set(next.map(({ id }) => id));
  for await (const row of rows(store, identities)) if (isOperator(row) && !ids.has(row.id)) return undefined;
  return decline('operator-last', last.userName ?? last.id);
}
