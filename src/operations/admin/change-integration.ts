import { type Integration, parseClientId } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { integrations } from '../../store/tables/registry.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';

/** Changes what the draft names. A narrowed scope narrows what existing grants allow, at once; a widened one changes none. */
export function changeIntegration(
  clientId: string,
  draft: IntegrationDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  return change(clientId, 'integration changed', (before) => draftedIntegration(clientId, draft, before), ports);
}

/** A disabled integration is refused at every door from the next request on; its grants stay and work again once enabled. */
export function enableIntegration(
  clientId: string,
  enabled: boolean,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  const did = enabled ? 'integration enabled' : 'integration disabled';
  return change(clientId, did, (before) => accept({ ...before, enabled }), ports);
}

async function change(
  clientId: string,
  did: string,
  decide: (before: Integration) => AdminOutcome<Integration>,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  if (!parseClientId(clientId)) return decline('integration-unknown', clientId);
  return store.change(integrations, clientId, (found, at): Decision<Integration, AdminOutcome<Integration>> => {
    if (!found) return { outcome: decline('integration-unknown', clientId) };
    const decided = decide(found.row);
    if (!decided.ok) return { outcome: decided };
    const event = administered(did, { at, by, clientId, detail: { scope: decided.value.scope.text } });
    return { outcome: decided, next: decided.value, events: [event] };
  });
}
