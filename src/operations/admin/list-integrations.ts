import type { Integration } from '../../core/integration.ts';
import { rows } from '../../store/pages.ts';
import { integrations } from '../../store/tables/integrations.ts';
import type { AdminPorts } from './admin.ts';

/** Those that were not removed. */
export async function listIntegrations({ store }: Pick<AdminPorts, 'store'>): Promise<readonly Integration[]> {
  return (await Array.fromAsync(rows(store, integrations))).filter(({ removed }) => !removed);
}
