import type { Identity } from '../../core/identity.ts';
import { identities } from '../../store/tables/identities.ts';
import type { AdminPorts } from './admin.ts';

export interface ListedIdentities {
  readonly identities: readonly Identity[];
  readonly hasMore: boolean;
}

/** The first `limit` identities by id, sorted by name; identities derived from certificates included. */
export async function listIdentities(limit: number, { store }: Pick<AdminPorts, 'store'>): Promise<ListedIdentities> {
  const found = await store.page(identities, { limit: limit + 1 });
  return { identities: found.slice(0, limit).sort(byName), hasMore: found.length > limit };
}

function byName(a: Identity, b: Identity): number {
  return (a.userName ?? a.id) < (b.userName ?? b.id) ? -1 : 1;
}
