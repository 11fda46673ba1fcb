import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { grantsOf } from '../../store/tables/grants.ts';
import { revokeAll } from '../grant/revoke-grant.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { rewriteIntegration } from './change-integration.ts';
import { findIntegration } from './find-integration.ts';
import { ending } from './perform.ts';

export interface RemovalDraft {
  readonly isConfirmed: boolean;
  /** Waits until every node has learned of the removal. */
  readonly everyNodeKnows: () => Promise<unknown>;
}

export interface RemovedIntegration {
  readonly integration: Integration;
  /** How many grants ended. */
  readonly grants: number;
}

/** Removes an integration for good: every door treats it as unknown, its grants end, and its client id is free. */
export async function removeIntegration(
  clientId: string,
  { isConfirmed, everyNodeKnows }: RemovalDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<RemovedIntegration>> {
  const known = await findIntegration(clientId, ports);
  if (!known.ok) return known;
  if (!isConfirmed) return decline('removal-unconfirmed', clientId);
  const integration = await rewriteIntegration(clientId, ports, (before, at) =>
    ending('integration', before, { did: 'removed' }, at),
  );
  if (!integration.ok) return integration;
  const endAll = () => revokeAll(grantsOf.integration(clientId), 'by-operator', ports);
  const ended = await endAll();
  await everyNodeKnows(); // until then a node may still issue a grant
  return accept({ integration: integration.value, grants: ended + (await endAll()) });
}
