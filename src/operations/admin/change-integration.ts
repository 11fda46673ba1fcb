import { type Integration, parseClientId } from '../../core/integration.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';
import type { DecideIntegration } from './register-integration.ts';
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

type Rewrite = (before: Integration) => AdminOutcome<Integration>;

/** Changes an integration and commits the event with it. */
export async function rewriteIntegration(
  clientId: string,
  did: string,
  decide: Rewrite,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  if (!parseClientId(clientId)) return decline('integration-unknown', clientId);
  return store.change(integrations, clientId, rewriting(clientId, did, decide, by));
}

export function rewriting(clientId: string, did: string, decide: Rewrite, by: string): DecideIntegration {
  return (found, at) => {
    if (!found || found.row.removed) return { outcome: decline('integration-unknown', clientId) };
    const decided = decide(found.row);
    if (!decided.ok) return { outcome: decided };
    const detail = { scope: decided.value.scope.text, ...accessChange(found.row, decided.value) };
    return { outcome: decided, next: decided.value, events: [administered(did, { at, by, clientId, detail })] };
  };
}

/** For the revocation feed: the change may have taken access from holders of tokens. */
function accessChange(before: Integration, next: Integration): { accessChanged?: true } {
  return JSON.stringify(before.access) === JSON.stringify(next.access) ? {} : { accessChanged: true };
}
