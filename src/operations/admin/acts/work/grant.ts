import type { GrantId } from '../../../../core/grant.ts';
import { accept } from '../../../../core/outcome.ts';
import { after, seconds } from '../../../../core/time.ts';
import { endCodes } from '../../../grant/end-all.ts';
import { revokeById } from '../../../grant/revoke-grant.ts';
import { type Acted, type AdminPorts, decline } from '../../admin.ts';
import { checkClock } from '../../check-clock.ts';
import { findGrantId, findGrants } from '../../find-grants.ts';
import { findIdentity } from '../../find-identity.ts';
import type { GrantFilter } from '../../grant-filter.ts';

const STEP = 200;

/** In steps, so that commits of a running service get in between; codes end too. More than one needs a confirmation. */
export async function endGrants(
  { filter, isConfirmed }: { readonly filter: GrantFilter; readonly isConfirmed: boolean },
  ports: AdminPorts,
) {
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  const before = await findGrants(filter, Number.POSITIVE_INFINITY, ports);
  if (!before.ok) return before;
  const { length } = before.value.grants;
  if (length > 1 && !isConfirmed) return decline('confirmation-missing', `${length}`);
  const codes = await endCodesOf(filter, ports);
  const found = await findGrants(filter, Number.POSITIVE_INFINITY, ports);
  if (!found.ok) return found;
  const { grants } = found.value;
  let ended = 0;
  for (let at = 0; at < grants.length; at += STEP) {
    const step = grants.slice(at, at + STEP);
    const results = await Promise.all(step.map(({ id }) => revokeById(id, 'by-operator', ports)));
    ended += results.filter(Boolean).length;
  }
  return accept({ grants: ended, codes });
}

/** No code is made by certificate or ends late. */
async function endCodesOf(
  { identity, integration: clientId, guest, since, ...others }: GrantFilter,
  ports: AdminPorts,
) {
  if (Object.values(others).some((value) => value !== undefined)) return 0;
  const holder = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (holder?.ok === false) return 0;
  const earliest = since === undefined ? undefined : after(await ports.store.now(), seconds(0 - since));
  // The row of a guest's code does not name the guest, and lives for a minute: those of other programs end with it.
  const by = guest === undefined ? undefined : 'code';
  return endCodes({ clientId, holder: holder?.value.id, since: earliest, by }, ports);
}

/** Revokes one grant. A grant that is revoked already is refused, so that a typing error does not look like success. */
export async function endGrant(text: string, ports: AdminPorts): Acted<GrantId> {
  const id = await findGrantId(text, ports);
  if (!id.ok) return id;
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  return (await revokeById(id.value, 'by-operator', ports)) ? id : decline('grant-not-live', text);
}
