import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { type Decide, perform } from './perform.ts';
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
  const checked = await checkDraft(id, draft, ports);
  if (!checked.ok) return checked;
  const drafted = draftedResourceServer(id, checked.value);
  if (!drafted.ok) return drafted;
  if ((await ports.store.load(integrations, id)).found) return decline('resource-server-id-taken', id);
  return perform('resource-server', id, ports, registering(drafted.value));
}

export function registering(next: ResourceServer): Decide<'resource-server'> {
  const served = { audience: next.audience, resources: next.resources.join(' ') };
  return (row) =>
    row && !row.removed
      ? decline('resource-server-exists', next.id)
      : accept({ next, deed: { did: 'registered', ...served } });
}
