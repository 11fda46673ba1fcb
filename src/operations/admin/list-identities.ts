import type { Identity } from '../../core/identity.ts';
import { isRemoved } from '../../core/rules/endings.ts';
import { rows } from '../../store/pages.ts';
import { identities } from '../../store/tables/identities.ts';
import type { AdminPorts } from './admin.ts';

export interface ListedIdentities {
  readonly identities: readonly Identity[];
  readonly hasMore: boolean;
}

/** The first `limit` identities by id, sorted by name; derived ones included, removed ones not. */
export async function listIdentities(limit: number, { store }: Pick<AdminPorts, 'store'>): Promise<ListedIdentities> {
  const found: Identity[] = [];
  for await (const identity of rows(store, identities)) {
    if (!isRemoved(identity)) found.push(identity);
    if (found.length > limit) break;
  }
  return { identities: found.slice(0, limit).sort(byName), hasMore: found.length > limit };
}

function byName(a: Identity, b: Identity): number {
  return (a.userName ?? a.id) < (b.userName ?? b.id) ? -1 : 1;
}
