import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { isResourceServerId } from './find-resource-server.ts';
import { draftedIntegration, type IntegrationDraft, whyNotServer } from './integration-draft.ts';
import { type Decide, perform } from './perform.ts';
import { tokenIssuerOf } from './register-token-issuer.ts';
import { whyNotFormat } from './token-format.ts';

/** Contract 5.2: an API integration is registered before anyone can authorize for it. */
export async function registerIntegration(
  clientId: string,
  draft: IntegrationDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  const drafted = draftedIntegration(clientId, draft);
  if (!drafted.ok) return drafted;
  const next = drafted.value;
  const objection = await whyNotRegister(clientId, draft, ports);
  if (objection) return objection;
  return perform('integration', clientId, ports, registering(next));
}

export async function whyNotRegister(clientId: string, draft: IntegrationDraft, ports: AdminPorts) {
  if (await isResourceServerId(clientId, ports)) return decline('client-id-of-resource-server', clientId);
  if (await tokenIssuerOf(clientId, ports)) return decline('client-id-of-token-issuer', clientId);
  return (await whyNotFormat(draft, ports.store)) ?? whyNotServer(draft, ports);
}

export function registering(next: Integration): Decide<'integration'> {
  return (row) =>
    row && !row.removed
      ? decline('integration-exists', next.clientId)
      : accept({ next, deed: { did: 'registered', scope: next.scope.text } });
}
