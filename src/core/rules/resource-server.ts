import type { Identity } from '../identity.ts';
import type { ResourceServer } from '../resource-server.ts';

/**
 * The resource server that an identity speaks for. `id`: which one the request names; undefined if it names none, which is
 * enough if there is only one.
 */
export function spokenForBy(
  { id: identityId, enabled, mayUseApi }: Identity,
  id: string | undefined,
  resourceServers: readonly ResourceServer[],
): ResourceServer | undefined {
  if (!enabled || !mayUseApi) return undefined;
  const [server, ...others] = resourceServers.filter(
    (each) => each.enabled && each.identity === identityId && (id === undefined || each.id === id),
  );
  return others.length === 0 ? server : undefined;
}
