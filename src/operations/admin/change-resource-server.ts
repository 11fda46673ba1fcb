import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { changedBetween, type Done, ending, perform } from './perform.ts';
import {
  type CheckedDraft,
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
  return rewriteResourceServer(id, ports, (before) => changedServer(id, checked.value, before));
}

export function changedServer(
  id: string,
  draft: CheckedDraft,
  before: ResourceServer,
): AdminOutcome<Done<'resource-server'>> {
  const drafted = draftedResourceServer(id, draft, before);
  if (!drafted.ok) return drafted;
  const { changed } = changedBetween({ ...before, secrets: undefined }, { ...drafted.value, secrets: undefined });
  const did = !('enabled' in changed) ? 'changed' : drafted.value.enabled ? 'enabled' : 'disabled';
  return accept({ next: drafted.value, deed: { did, changed } });
}

/** It may no longer ask, and no token is for it. The row stays without secrets, so that events can be read. */
export async function removeResourceServer(
  id: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
  ports: AdminPorts,
): Promise<AdminOutcome<ResourceServer>> {
  return rewriteResourceServer(id, ports, (before, at) =>
    isConfirmed
      ? ending('resource-server', before, { did: 'removed' }, at)
      : decline('resource-server-removal-unconfirmed', id),
  );
}

export function rewriteResourceServer(
  id: string,
  ports: AdminPorts,
  decide: (before: ResourceServer, at: EpochSeconds) => AdminOutcome<Done<'resource-server'>>,
): Promise<AdminOutcome<ResourceServer>> {
  return perform('resource-server', id, ports, (row, at) =>
    row && !row.removed ? decide(row, at) : decline('resource-server-unknown', id),
  );
}
