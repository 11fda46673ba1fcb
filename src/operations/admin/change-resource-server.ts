import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Decision } from '../../store/store.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import {
  checkDraft,
  draftedResourceServer,
  type ResourceServerDraft,
  type ResourceServerPorts,
} from './resource-server-draft.ts';

/** Changes what the draft names. Opaque tokens follow within a second; JWTs keep their `aud` until they expire. */
export async function changeResourceServer(
  id: string,
  draft: ResourceServerDraft,
  ports: ResourceServerPorts,
): Promise<AdminOutcome<ResourceServer>> {
  const checked = await checkDraft(id, draft, ports);
  if (!checked.ok) return checked;
  const change = (before: ResourceServer) => draftedResourceServer(id, checked.value, before);
  return rewriteResourceServer(id, 'resource server changed', change, ports);
}

/** It may no longer ask, and no token is for it. The row stays without secrets, so that events can be read. */
export async function removeResourceServer(
  id: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
  ports: AdminPorts,
): Promise<AdminOutcome<ResourceServer>> {
  const remove = (before: ResourceServer) =>
    isConfirmed ? accept(removed(before)) : decline('resource-server-removal-unconfirmed', id);
  return rewriteResourceServer(id, 'resource server removed', remove, ports);
}

function removed({ id, audience, name, resources }: ResourceServer): ResourceServer {
  return { id, audience, name, resources, enabled: false, secrets: [], removed: true };
}

/** Changes a resource server and commits the event with it. */
export function rewriteResourceServer(
  id: string,
  did: string,
  decide: (before: ResourceServer, at: EpochSeconds) => AdminOutcome<ResourceServer>,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<ResourceServer>> {
  return store.change(resourceServers, id, (found, at): Decision<ResourceServer, AdminOutcome<ResourceServer>> => {
    if (!found || found.row.removed) return { outcome: decline('resource-server-unknown', id) };
    const decided = decide(found.row, at);
    if (!decided.ok) return { outcome: decided };
    const { audience, resources } = decided.value;
    const detail = { resourceServer: id, audience, resources: resources.join(' ') };
    return { outcome: decided, next: decided.value, events: [administered(did, { at, by, detail })] };
  });
}
