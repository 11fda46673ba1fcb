import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';

/** Its certificates no longer authorize. The row stays, so that the list of all issuers shows who had the label. */
export function withdrawIssuer(label: string, { store, by }: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  return store.change(issuers, label, (found, at): Decision<ApprovedIssuer, AdminOutcome<ApprovedIssuer>> => {
    if (!found?.row.enabled) return { outcome: decline('issuer-unknown', label) };
    const next: ApprovedIssuer = { ...found.row, enabled: false };
    return {
      outcome: accept(next),
      next,
      events: [administered('issuer withdrawn', { at, by, detail: { issuer: label } })],
    };
  });
}
