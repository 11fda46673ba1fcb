import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { ending, perform } from './perform.ts';

/** Its certificates no longer authorize. The row stays, so that the list of all issuers shows who had the label. */
export function withdrawIssuer(label: string, ports: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  return perform('issuer', label, ports, (row, at) =>
    row?.enabled ? ending('issuer', row, { did: 'withdrawn' }, at) : decline('issuer-unknown', label),
  );
}
