import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { Decision } from '../../store/store.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { type AdminOutcome, administered, decline } from './admin.ts';
import {
  checkDraft,
  draftedResourceServer,
  type ResourceServerDraft,
  type ResourceServerPorts,
} from './resource-server-draft.ts';

/** An API that checks tokens is registered before it may ask about them. The id of a removed one may be used again. */
export async function registerResourceServer(
  id: string,
  draft: ResourceServerDraft,
  ports: ResourceServerPorts,
): Promise<AdminOutcome<ResourceServer>> {
  const { store, by } = ports;
  const checked = await checkDraft(id, draft, ports);
  if (!checked.ok) return checked;
  const drafted = draftedResourceServer(id, checked.value);
  if (!drafted.ok) return drafted;
  if ((await store.load(integrations, id)).found) return decline('resource-server-id-taken', id);
  const next = drafted.value;
  return store.change(resourceServers, id, (found, at): Decision<ResourceServer, AdminOutcome<ResourceServer>> => {
    if (found && !found.row.removed) return { outcome: decline('resource-server-exists', id) };
    const detail = { resourceServer: id, audience: next.audience, resources: next.resources.join(' ') };
    return { outcome: accept(next), next, events: [administered('resource server registered', { at, by, detail })] };
  });
}
