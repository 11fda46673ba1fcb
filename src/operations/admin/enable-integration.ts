import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy } from '../../core/rules/endings.ts';
import { mayOwnerEnable } from '../../core/rules/operator.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { rewriteIntegration, switchedBy } from './change-integration.ts';

/** A disabled integration is refused at every door, within a second. Its grants stay, and work again once it is enabled. */
export function enableIntegration(
  clientId: string,
  enabled: boolean,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  return rewriteIntegration(clientId, ports, (before, at) => {
    const { isOwner = false } = ports;
    if (isOwner && enabled && !mayOwnerEnable(before))
      return decline('permission-missing', 'of an operator, since an operator has disabled it');
    return accept({
      next: switchedBy(
        enabled ? before : endedBy('integration', before, { did: 'disabled' }, at),
        enabled,
        isOwner && mayOwnerEnable(before),
      ),
      deed: { did: enabled ? 'enabled' : 'disabled' },
    });
  });
}
