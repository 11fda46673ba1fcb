import { type Grant, grantState } from '../core/grant.ts';
import { after, type Seconds } from '../core/time.ts';
import { decline } from '../operations/admin/admin.ts';
import { findIdentity } from '../operations/admin/find-identity.ts';
import { revokeById } from '../operations/grant/revoke-grant.ts';
import { rows } from '../store/pages.ts';
import type { Store } from '../store/store.ts';
import type { Where } from '../store/table.ts';
import { grants, grantsOf } from '../store/tables/grants.ts';
import { integrations } from '../store/tables/registry.ts';
import { CommandFailure } from './terminal/exit.ts';
import { granted } from './terminal/wording.ts';

export interface GrantFilter {
  readonly identity?: string;
  readonly integration?: string;
  readonly ending?: Seconds;
  readonly all?: true;
}

/** The grants that the filter lets through, at most `limit`. One condition goes by index, the others are looked at. */
export async function findGrants(filter: GrantFilter, limit: number, store: Store): Promise<Grant[]> {
  const now = await store.now();
  const { integration, ending } = filter;
  const identityId = await identityOf(filter, store);
  const where = identityId === undefined ? byIntegration(integration) : grantsOf.holder(identityId);
  const query = { ...(where && { where }), ...(ending !== undefined && { endingBefore: after(now, ending) }) };
  const found: Grant[] = [];
  for await (const grant of rows(store, grants, query)) {
    const isMeant = integration === undefined || grant.clientId === integration;
    if (isMeant && (filter.all || grantState(grant, now) === 'live')) found.push(grant);
    if (found.length >= limit) break;
  }
  return found;
}

async function identityOf({ identity, integration }: GrantFilter, store: Store): Promise<string | undefined> {
  // A mistyped name would look like "no grants".
  if (integration !== undefined && !(await store.load(integrations, integration)).found) {
    granted(decline('integration-unknown', integration));
  }
  return identity === undefined ? undefined : granted(await findIdentity(identity, { store })).id;
}

function byIntegration(integration: string | undefined): Where | undefined {
  return integration === undefined ? undefined : grantsOf.integration(integration);
}

const STEP = 200;

/** Ends all grants of the filter, in steps that let the service's own commits go between them. */
export async function revokeFound(filter: GrantFilter, isSure: boolean, store: Store): Promise<number> {
  const found = await findGrants(filter, Number.POSITIVE_INFINITY, store);
  if (found.length > 1 && !isSure) {
    throw new CommandFailure('refused', `this would end ${found.length} grants`, 'If that is meant: add --yes.');
  }
  let ended = 0;
  for (let at = 0; at < found.length; at += STEP) {
    const results = await Promise.all(
      found.slice(at, at + STEP).map(({ id }) => revokeById(id, 'by-operator', { store })),
    );
    ended += results.filter(Boolean).length;
  }
  return ended;
}
