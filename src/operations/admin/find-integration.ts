import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

export async function findIntegration(
  clientId: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Integration>> {
  const { found } = await store.load(integrations, clientId);
  return found && !found.row.removed ? accept(found.row) : decline('integration-unknown', clientId);
}
