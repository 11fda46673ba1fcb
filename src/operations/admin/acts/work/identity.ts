import { type Identity, parseIdentityId } from '../../../../core/identity.ts';
import { accept } from '../../../../core/outcome.ts';
import { isRemoved } from '../../../../core/rules/endings.ts';
import { completed } from '../../../../schema.ts';
import type { StorePort } from '../../../../store/store.ts';
import { identities } from '../../../../store/tables/identities.ts';
import { Secret } from '../../../../tokens/secret.ts';
import { decline } from '../../admin.ts';
import { findIdentity, findToGive } from '../../find-identity.ts';
import {
  addIdentity,
  changeIdentity,
  draftedIdentity,
  type IdentityChange,
  objectionTo,
  removeIdentity,
} from '../../identities.ts';
import { GroupsObject, IdentityObject, type WrittenIdentity } from '../../objects.ts';
import { answering } from '../act.ts';
import type { ThingWork } from '../things.ts';
import { allThatDiffers, type ObjectKind } from './kind.ts';
import { type AnyKind, listRows, thingWork } from './thing.ts';

/** In files: only the groups of identities that exist. People are not made by a file. */
export const KIND: ObjectKind<'identity'> = {
  kind: 'identity',
  section: 'identities',
  schema: GroupsObject,
  keyOf: ({ userName, id }) => userName ?? id,
  written: ({ groups }) => ({ groups }),
  drafted: (name, { groups }, before) =>
    objectionTo({ groups }) ??
    (before ? accept(draftedIdentity(before, { groups })) : decline('identity-unknown', name)),
  made: ({ userName = '' }) => ({ did: 'added', userName }),
  changed: allThatDiffers,
  removal: () => undefined,
  isExported: ({ groups }) => groups.length > 0,
};

/** Identities of all directories, each by its user name or its id. */
export const THINGS: ThingWork<WrittenIdentity> & AnyKind = {
  ...thingWork(KIND),
  list: (query, { store }) => listRows(store, identities, query, (row) => (isRemoved(row) ? undefined : written(row))),
  show,
  put: async ({ id: name, body: { password, ...draft }, onlyIf }, ports) => {
    const secret = password === undefined ? {} : { password: new Secret(password) };
    const objection = objectionTo(secret);
    if (objection) return objection;
    const known = onlyIf === 'absent' ? undefined : await findToGive(name, ports);
    if (known?.ok === false && known.refusal.reason === 'identity-ambiguous') return known;
    if (!known?.ok && parseIdentityId(name)) return decline('identity-unknown', name);
    if (!known?.ok && typeof onlyIf !== 'number' && onlyIf !== 'present') {
      const added = await addIdentity({ ...draft, userName: draft.userName ?? name, ...secret }, ports);
      const shown = added.ok ? await show(added.value.id, ports) : added;
      return shown.ok ? accept({ ...shown.value, isNew: true }) : shown;
    }
    if (!known?.ok) return decline('changed-meanwhile', name);
    if (password !== undefined) return decline('password-apart', name);
    const { id, userName = name } = known.value;
    const change = completed(IdentityObject, { ...draft, userName: draft.userName ?? userName }) as IdentityChange;
    const done = await changeIdentity(id, change, ports);
    return done.ok ? show(id, ports) : done;
  },
  remove: async (id, isConfirmed, ports) => {
    const removed = await removeIdentity(id, { isConfirmed }, ports);
    return answering(removed, ({ identity, grants }) => ({ id: identity.id, endedGrants: grants }));
  },
};

function written(identity: Identity): WrittenIdentity {
  const { pushed: _, ...row } = identity;
  return row;
}

/** By user name or id. */
async function show(name: string, ports: StorePort) {
  const known = await findIdentity(name, ports);
  if (!known.ok) return known;
  const { found } = await ports.store.load(identities, known.value.id);
  if (!found) return decline('identity-unknown', name);
  return accept({ value: written(found.row), revision: found.revision });
}
