import { foldName } from '../../core/certificate.ts';
import { type Identity, isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { identities } from '../../store/tables/identities.ts';
import { type IdentityDraft, objectionOfOthers, objectionTo } from './add-identity.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { endGrants } from './end-grants.ts';
import { findIdentity } from './find-identity.ts';
import { changedBetween, ending, perform, performPlan } from './perform.ts';

/** What is absent stays. An empty address is removed. */
export type IdentityChange = Partial<Omit<IdentityDraft, 'password'>>;

/** Changes an identity of the local directory. Its grants and its password stay. */
export async function changeIdentity(
  name: string,
  change: IdentityChange,
  ports: AdminPorts,
): Promise<AdminOutcome<Identity>> {
  const { onlyIf } = ports;
  const done = await performPlan(async () => {
    const known = await findIdentity(name, ports);
    if (!known.ok) return known;
    const { id } = known.value;
    if (!isLocal(known.value)) return decline('identity-not-local', id);
    const checked = checkedPart(change);
    const objection = objectionTo(checked) ?? (await objectionOfOthers(checked, ports, id));
    if (objection) return objection;
    const { found } = await ports.store.load(identities, id);
    if (!found) return decline('identity-unknown', name);
    const { row, revision } = found;
    if (onlyIf !== undefined && revision !== onlyIf) return decline('changed-meanwhile', name);
    const next = changed(row, change);
    const deeds = [{ did: 'changed', ...changedBetween(row, next) }];
    return accept([{ kind: 'identity', key: id, revision, next, deeds } as const]);
  }, ports);
  return done.ok ? accept(done.value[0]?.next as Identity) : done;
}

/** An address to be removed needs no check. */
function checkedPart({ email, upn, ...rest }: IdentityChange) {
  return { ...rest, ...(email && { email }), ...(upn && { upn }) };
}

function changed(before: Identity, { userName, email, upn, groups, mayUseApi }: IdentityChange): Identity {
  const { email: emailBefore, upn: upnBefore, ...rest } = before;
  const nextEmail = email === undefined ? emailBefore : foldName('email-san', email);
  const nextUpn = upn === undefined ? upnBefore : foldName('upn-san', upn);
  return {
    ...rest,
    ...(userName !== undefined && { userName }),
    ...(nextEmail && { email: nextEmail }),
    ...(nextUpn && { upn: nextUpn }),
    ...(groups && { groups: [...new Set(groups)] }),
    ...(mayUseApi !== undefined && { mayUseApi }),
  };
}

/** A disabled identity fails every check, refresh and sign-in from the next request on, at every node. */
export async function enableIdentity(
  name: string,
  enabled: boolean,
  ports: AdminPorts,
): Promise<AdminOutcome<Identity>> {
  const identity = await findIdentity(name, ports);
  if (!identity.ok) return identity;
  const { id } = identity.value;
  return perform('identity', id, ports, (row, at) => {
    if (!row) return decline('identity-unknown', name);
    if (!enabled) return ending('identity', row, { did: 'disabled' }, at);
    return accept({ next: { ...row, enabled }, deed: { did: 'enabled' } });
  });
}

/** Its names are free for others. A row with its id stays, since ended grants and events name it. Returns how many grants ended. */
export async function removeIdentity(
  name: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
  ports: AdminPorts,
) {
  const known = await findIdentity(name, ports);
  if (!known.ok) return known;
  const { id } = known.value;
  if (!isLocal(known.value)) return decline('identity-derived', id);
  if (!isConfirmed) return decline('removal-unconfirmed', known.value.userName ?? id);
  // First disabled, so that no grant begins while the others are ended.
  const identity = await perform('identity', id, ports, (row, at) =>
    row
      ? ending('identity', row, { did: 'removed', userName: row.userName ?? '' }, at)
      : decline('identity-unknown', id),
  );
  if (!identity.ok) return identity;
  const ended = await endGrants({ filter: { identity: id }, isConfirmed }, ports);
  return ended.ok ? accept({ identity: identity.value, grants: ended.value.grants }) : ended;
}
