import type { GrantId } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { findGrantId, findGrants, type GrantFilter } from './find-grants.ts';

export interface EndGrantsDraft {
  readonly filter: GrantFilter;
  /** Required to end more than one grant. */
  readonly isConfirmed: boolean;
}

const STEP = 200;

/** Revokes every grant that matches, in steps, so that commits of a running service get in between. Returns how many. */
export async function endGrants(
  { filter, isConfirmed }: EndGrantsDraft,
  ports: AdminPorts,
): Promise<AdminOutcome<number>> {
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  const found = await findGrants(filter, Number.POSITIVE_INFINITY, ports);
  if (!found.ok) return found;
  const { grants } = found.value;
  if (grants.length > 1 && !isConfirmed) return decline('confirmation-missing', `${grants.length}`);
  let ended = 0;
  for (let at = 0; at < grants.length; at += STEP) {
    const step = grants.slice(at, at + STEP);
    const results = await Promise.all(step.map(({ id }) => revokeById(id, 'by-operator', ports)));
    ended += results.filter(Boolean).length;
  }
  return accept(ended);
}

/** Revokes one grant. A grant that is revoked already is refused, so that a typing error does not look like success. */
export async function endGrant(text: string, ports: AdminPorts): Promise<AdminOutcome<GrantId>> {
  const id = await findGrantId(text, ports);
  if (!id.ok) return id;
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  return (await revokeById(id.value, 'by-operator', ports)) ? id : decline('grant-not-live', text);
}
