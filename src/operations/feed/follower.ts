// The resource server that follows the feed.
import type { ResourceServer } from '../../core/resource-server.ts';
import type { Store } from '../../store/store.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { serverMark } from './cursor.ts';
import type { FeedItem } from './read-feed.ts';

/** As it is in the store now: entries depend on what it serves. Undefined if it may no longer follow. */
export async function currentServer(
  { id }: Pick<ResourceServer, 'id'>,
  store: Pick<Store, 'load'>,
): Promise<ResourceServer | undefined> {
  const { found } = await store.load(resourceServers, id);
  return found?.row.enabled ? found.row : undefined;
}

/** Whether one of the items changed the resource server, so that it must connect and prove itself again. */
export async function isOutdated(
  server: ResourceServer,
  items: readonly FeedItem[],
  store: Pick<Store, 'load'>,
): Promise<boolean> {
  if (!items.some(({ state }) => state?.about === 'resource-server' && state.id === server.id)) return false;
  const now = await currentServer(server, store);
  return !now || serverMark(now) !== serverMark(server) || !hasSameProof(now, server);
}

/** A secret or an identity that was taken away ends the streams that it may have opened. */
function hasSameProof(now: ResourceServer, then: ResourceServer): boolean {
  const hashes = now.secrets.map(({ hash }) => hash);
  return now.identity === then.identity && then.secrets.every(({ hash }) => hashes.includes(hash));
}
