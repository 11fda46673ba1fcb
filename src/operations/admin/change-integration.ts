import { type Integration, parseClientId } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { draftedIntegration, type IntegrationDraft, whyNotServer } from './integration-draft.ts';
import { changedBetween, type Decide, type Done, perform } from './perform.ts';
import { whyNotFormat } from './token-format.ts';

/** Changes what the draft names. A narrower scope limits existing grants at once; a wider one does not affect them. */
export async function changeIntegration(
  clientId: string,
  draft: IntegrationDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  const objection = (await whyNotFormat(draft, ports.store)) ?? (await whyNotServer(draft, ports));
  if (objection) return objection;
  return rewriteIntegration(clientId, ports, changing(clientId, draft));
}

type Rewrite = (before: Integration, at: EpochSeconds) => AdminOutcome<Done<'integration'>>;

function changing(clientId: string, draft: IntegrationDraft, isOwner = false): Rewrite {
  return (before) => {
    const drafted = draftedIntegration(clientId, draft, before);
    if (!drafted.ok) return drafted;
    const { enabled } = drafted.value;
    const isOfOwner = before.enabled ? isOwner : before.disabledByOwner === true;
    return accept(changed(before, switchedBy(drafted.value, enabled, isOfOwner)));
  };
}

/** Owners enable again what an owner has disabled; only operators what an operator has. */
export function switchedBy(integration: Integration, enabled: boolean, isOwner: boolean): Integration {
  const { disabledByOwner: _, ...rest } = integration;
  return { ...rest, enabled, ...(!enabled && isOwner && { disabledByOwner: true }) };
}

/** Lets members of more groups use it, whatever else somebody has changed about it. */
export function admitting(groups: readonly string[]): Decide<'integration'> {
  return (row) => {
    if (!row || row.removed || row.access.to !== 'named') return decline('changed-meanwhile', row?.clientId ?? '');
    const access = { ...row.access, groups: [...new Set([...row.access.groups, ...groups])] };
    return accept(changed(row, { ...row, access }));
  };
}

export async function rewriteIntegration(
  clientId: string,
  ports: AdminPorts,
  decide: Rewrite,
): Promise<AdminOutcome<Integration>> {
  if (!parseClientId(clientId)) return decline('integration-unknown', clientId);
  return perform('integration', clientId, ports, ofKnown(clientId, decide));
}

function ofKnown(clientId: string, decide: Rewrite): Decide<'integration'> {
  return (row, at) => (row && !row.removed ? decide(row, at) : decline('integration-unknown', clientId));
}

/** For an import of several. */
export function changingKnown(clientId: string, draft: IntegrationDraft, isOwner?: boolean): Decide<'integration'> {
  return ofKnown(clientId, changing(clientId, draft, isOwner));
}

function changed(before: Integration, next: Integration): Done<'integration'> {
  const { changed } = changedBetween(shown(before), shown(next));
  const switched = before.enabled === next.enabled ? undefined : next.enabled ? 'enabled' : 'disabled';
  if (switched && Object.keys(changed).length === 1) return { next, deed: { did: switched } };
  return {
    next,
    // For the revocation feed: the change may have taken access from holders of tokens.
    deed: { did: 'changed', changed, ...('access' in changed && { accessChanged: true }) },
    ...(switched && { first: { did: switched } }),
  };
}

function shown(integration: Integration): object {
  const { scope, keys: _, secrets: __, disabledByOwner: ___, ...rest } = integration;
  return { ...rest, scope: scope.text };
}
