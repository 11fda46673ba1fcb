import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { isResourceServerId } from './find-resource-server.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';
import { whyNotFormat } from './token-format.ts';

/** Contract 5.2: an API integration is registered before anyone can authorize for it. */
export async function registerIntegration(
  clientId: string,
  draft: IntegrationDraft,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  const drafted = draftedIntegration(clientId, draft);
  if (!drafted.ok) return drafted;
  const next = drafted.value;
  if (await isResourceServerId(clientId, { store })) return decline('client-id-of-resource-server', clientId);
  const objection = await whyNotFormat(draft, store);
  if (objection) return objection;
  return store.change(integrations, clientId, (found, at): Decision<Integration, AdminOutcome<Integration>> => {
    if (found && !found.row.removed) return { outcome: decline('integration-exists', clientId) };
    const event = administered('integration registered', { at, by, clientId, detail: { scope: next.scope.text } });
    return { outcome: accept(next), next, events: [event] };
  });
}
