import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { AdminOutcome, AdminPorts } from './admin.ts';
import { rewriteIntegration } from './change-integration.ts';
import { ending } from './perform.ts';

/** A disabled integration is refused at every door, within a second. Its grants stay, and work again once it is enabled. */
export function enableIntegration(
  clientId: string,
  enabled: boolean,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  return rewriteIntegration(clientId, ports, (before, at) =>
    enabled
      ? accept({ next: { ...before, enabled }, deed: { did: 'enabled' } })
      : ending('integration', before, { did: 'disabled' }, at),
  );
}
