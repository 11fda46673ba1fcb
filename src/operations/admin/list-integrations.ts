import type { Integration } from '../../core/integration.ts';
import { rows } from '../../store/pages.ts';
import { integrations } from '../../store/tables/registry.ts';
import type { AdminPorts } from './admin.ts';

export function listIntegrations({ store }: Pick<AdminPorts, 'store'>): Promise<readonly Integration[]> {
  return Array.fromAsync(rows(store, integrations));
}
