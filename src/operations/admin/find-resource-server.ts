import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { rows } from '../../store/pages.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

export async function findResourceServer(
  id: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<ResourceServer>> {
  const { found } = await store.load(resourceServers, id);
  return found && !found.row.removed ? accept(found.row) : decline('resource-server-unknown', id);
}

export async function listResourceServers({ store }: Pick<AdminPorts, 'store'>): Promise<readonly ResourceServer[]> {
  const found = await Array.fromAsync(rows(store, resourceServers));
  return found.filter(({ removed }) => !removed);
}

/** Whether a resource server has this id, or had it: an integration must not take it. */
export async function isResourceServerId(id: string, { store }: Pick<AdminPorts, 'store'>): Promise<boolean> {
  return (await store.load(resourceServers, id)).found !== undefined;
}
