import { type Integration, parseClientId } from '../../core/integration.ts';
import type { Decision } from '../../store/store.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';
import { whyNotFormat } from './token-format.ts';

/** Changes what the draft names. A narrower scope limits existing grants at once; a wider one does not affect them. */
export async function changeIntegration(
  clientId: string,
  draft: IntegrationDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  const objection = await whyNotFormat(draft, ports.store);
  if (objection) return objection;
  return rewriteIntegration(
    clientId,
    'integration changed',
    (before) => draftedIntegration(clientId, draft, before),
    ports,
  );
}

/** Changes an integration and commits the event with it. */
export async function rewriteIntegration(
  clientId: string,
  did: string,
  decide: (before: Integration) => AdminOutcome<Integration>,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  if (!parseClientId(clientId)) return decline('integration-unknown', clientId);
  return store.change(integrations, clientId, (found, at): Decision<Integration, AdminOutcome<Integration>> => {
    if (!found || found.row.removed) return { outcome: decline('integration-unknown', clientId) };
    const decided = decide(found.row);
    if (!decided.ok) return { outcome: decided };
    const detail = { scope: decided.value.scope.text, ...accessChange(found.row, decided.value) };
    return { outcome: decided, next: decided.value, events: [administered(did, { at, by, clientId, detail })] };
  });
}

/** For the revocation feed: the change may have taken access from holders of tokens. */
function accessChange(before: Integration, next: Integration): { accessChanged?: true } {
  return JSON.stringify(before.access) === JSON.stringify(next.access) ? {} : { accessChanged: true };
}
