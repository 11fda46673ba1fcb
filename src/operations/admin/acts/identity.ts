import { accept } from '../../../core/outcome.ts';
import { isRemoved } from '../../../core/rules/endings.ts';
import { identities } from '../../../store/tables/identities.ts';
import { Secret } from '../../../tokens/secret.ts';
import { addIdentity } from '../add-identity.ts';
import { decline } from '../admin.ts';
import { changeIdentity, enableIdentity } from '../change-identity.ts';
import { findIdentity } from '../find-identity.ts';
import { completeIdentity, type WrittenIdentity } from '../objects.ts';
import { listPasskeys, removePasskey } from '../passkeys.ts';
import { removeIdentity } from '../remove-identity.ts';
import { setPassword } from '../set-password.ts';
import { type ActPorts, afterwards, answer, answering, answerRow, listRows, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'identity'> = {
  'identity-list': ({ query }, { store }) =>
    listRows(store, identities, query, (row) => (isRemoved(row) ? undefined : row)),
  'identity-show': ({ id = '' }, ports) => show(id, ports),
  'identity-put': async ({ id: name = '', body, onlyIf }, ports) => {
    const { password, ...draft } = body as WrittenIdentity;
    const isNew = onlyIf === 'absent' || (onlyIf === undefined && !(await findIdentity(name, ports)).ok);
    if (!isNew && password !== undefined) return decline('object-malformed', 'password is for a new identity');
    const done = isNew
      ? await addIdentity({ ...draft, userName: draft.userName ?? name, ...secretOf(password) }, ports)
      : await changeIdentity(name, completeIdentity(name, draft), ports);
    return done.ok ? show(done.value.id, ports) : done;
  },
  'identity-password': async ({ id = '', body }, ports) => {
    const { password } = body as { password: string };
    return afterwards(await setPassword(id, new Secret(password), ports), () => show(id, ports));
  },
  'identity-passkeys': async ({ id = '' }, ports) => answering(await listPasskeys(id, ports), (items) => ({ items })),
  'identity-remove-passkeys': async ({ id = '', query = {} }, ports) =>
    answering(await removePasskey(id, query, ports), (items) => ({ items })),
  'identity-enable': async ({ id = '' }, ports) =>
    afterwards(await enableIdentity(id, true, ports), () => show(id, ports)),
  'identity-disable': async ({ id = '' }, ports) =>
    afterwards(await enableIdentity(id, false, ports), () => show(id, ports)),
  'identity-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    const removed = await removeIdentity(id, { isConfirmed }, ports);
    return removed.ok ? answer({ id: removed.value.identity.id, endedGrants: removed.value.grants }) : removed;
  },
};

function secretOf(password: string | undefined): { password?: Secret } {
  return password === undefined ? {} : { password: new Secret(password) };
}

/** By user name, id, or the first digits of an id. */
async function show(name: string, ports: Pick<ActPorts, 'store'>) {
  const known = await findIdentity(name, ports);
  if (!known.ok) return known;
  const { id } = known.value;
  return answerRow(ports.store, identities, id, (row) => (row ? accept(row) : decline('identity-unknown', name)));
}
