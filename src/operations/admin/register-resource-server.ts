import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { type Decide, perform } from './perform.ts';
import {
  type CheckedDraft,
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
  const checked = await checkDraft(id, draft, ports);
  if (!checked.ok) return checked;
  const decide = await registering(id, checked.value, ports);
  return decide.ok ? perform('resource-server', id, ports, decide.value) : decide;
}

export async function registering(
  id: string,
  draft: CheckedDraft,
  { store }: ResourceServerPorts,
): Promise<AdminOutcome<Decide<'resource-server'>>> {
  const drafted = draftedResourceServer(id, draft);
  if (!drafted.ok) return drafted;
  if ((await store.load(integrations, id)).found) return decline('resource-server-id-taken', id);
  const next = drafted.value;
  const served = { audience: next.audience, resources: next.resources.join(' ') };
  return accept((row) =>
    row && !row.removed
      ? decline('resource-server-exists', id)
      : accept({ next, deed: { did: 'registered', ...served } }),
  );
}
