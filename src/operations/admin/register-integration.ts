import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Decision, Found, Store } from '../../store/store.ts';
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
  const objection = await whyNotRegister(clientId, draft, store);
  if (objection) return objection;
  return store.change(integrations, clientId, registering(next, by));
}

export async function whyNotRegister(clientId: string, draft: IntegrationDraft, store: Store) {
  if (await isResourceServerId(clientId, { store })) return decline('client-id-of-resource-server', clientId);
  return whyNotFormat(draft, store);
}

export type DecideIntegration = (
  found: Found<Integration, unknown> | undefined,
  at: EpochSeconds,
) => Decision<Integration, AdminOutcome<Integration>>;

export function registering(next: Integration, by: string): DecideIntegration {
  const { clientId } = next;
  return (found, at) => {
    if (found && !found.row.removed) return { outcome: decline('integration-exists', clientId) };
    const event = administered('integration registered', { at, by, clientId, detail: { scope: next.scope.text } });
    return { outcome: accept(next), next, events: [event] };
  };
}
