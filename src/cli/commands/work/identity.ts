import type { Identity } from '../../../core/identity.ts';
import { isoTime } from '../../../core/time.ts';
import { addIdentity } from '../../../operations/admin/add-identity.ts';
import { changeIdentity, enableIdentity } from '../../../operations/admin/change-identity.ts';
import { findIdentity, listIdentities } from '../../../operations/admin/find-identity.ts';
import { listPasskeys, removePasskey } from '../../../operations/admin/passkeys.ts';
import { removeIdentity } from '../../../operations/admin/remove-identity.ts';
import { setPassword } from '../../../operations/admin/set-password.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import {
  counted,
  print,
  printJson,
  printRecord,
  printSecret,
  printTable,
  remark,
  result,
} from '../../terminal/output.ts';
import { obtainPassword, type PasswordFlags } from '../../terminal/password.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export interface AddFlags extends PasswordFlags {
  readonly email?: string;
  readonly upn?: string;
  readonly group?: readonly string[];
  readonly api?: boolean;
  readonly shared?: true;
  /** False with --no-password. */
  readonly password: boolean;
}

export async function addPerson(userName: string, flags: AddFlags, workplace: Workplace): Promise<void> {
  const { password: wanted, api, group: groups = [], shared, email, upn } = flags;
  const obtained = wanted ? await obtainPassword(flags, workplace.random) : undefined;
  const draft = {
    userName,
    groups,
    ...(email !== undefined && { email }),
    ...(upn !== undefined && { upn }),
    ...(api !== undefined && { mayUseApi: api }),
    ...(shared && { mayShare: true }),
    ...(obtained && { password: obtained.password }),
  };
  const { id } = accepted(await addIdentity(draft, workplace));
  print(`Added ${userName} as ${id}`);
  if (obtained?.isNew) printSecret(`Password, shown this once: ${obtained.password.reveal()}`);
  result({ id, userName, ...(obtained?.isNew && { password: obtained.password.reveal() }) });
}

export interface ChangeFlags extends Pick<AddFlags, 'email' | 'upn' | 'api' | 'shared'> {
  readonly userName?: string;
  /** False with --no-group. */
  readonly group?: readonly string[] | boolean;
}

export async function changePerson(name: string, flags: ChangeFlags, workplace: Workplace): Promise<void> {
  const { userName, email, upn, api, group, shared } = flags;
  const change = {
    ...(userName !== undefined && { userName }),
    ...(email !== undefined && { email }),
    ...(upn !== undefined && { upn }),
    ...(group === false && { groups: [] }),
    ...(Array.isArray(group) && { groups: group as readonly string[] }),
    ...(api !== undefined && { mayUseApi: api }),
  };
  if (Object.keys(change).length === 0)
    throw new CommandFailure('usage', 'say what to change', 'See: tessera identity change --help');
  const draft = { ...change, ...(shared && { mayShare: true }) };
  const identity = accepted(await changeIdentity(name, draft, workplace));
  print(`Changed ${identity.id}`);
  result(identity);
}

export async function removePerson(
  name: string,
  { yes = false }: { yes?: boolean },
  workplace: Workplace,
): Promise<void> {
  const { identity, grants } = accepted(await removeIdentity(name, { isConfirmed: yes }, workplace));
  print(`Removed ${identity.id} and ended ${counted(grants, 'grant')}`);
  result({ id: identity.id, endedGrants: grants });
}

export async function changePassword(name: string, flags: PasswordFlags, workplace: Workplace): Promise<void> {
  accepted(await findIdentity(name, workplace)); // before the person types a password
  const { password, isNew } = await obtainPassword(flags, workplace.random);
  const { id } = accepted(await setPassword(name, password, workplace));
  print(`Set the password of ${id}`);
  if (isNew) printSecret(`Password, shown this once: ${password.reveal()}`);
  result({ id, ...(isNew && { password: password.reveal() }) });
}

export interface ListFlags {
  readonly limit: number;
  readonly json?: true;
}

export async function printIdentities({ limit, json }: ListFlags, workplace: Workplace): Promise<void> {
  const { identities, hasMore } = await listIdentities(limit, workplace);
  if (json) printJson(identities);
  else printTable(['user name', 'identity', 'enabled', 'e-mail', 'principal name', 'groups'], identities.map(rowOf));
  if (hasMore) remark(`There are more than ${limit}; see --limit.`);
}

function rowOf({ userName, id, enabled, email, upn, groups }: Identity) {
  return [userName, id, enabled ? 'yes' : 'no', email, upn, groups.join(' ')];
}

export async function printIdentity(name: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const identity = accepted(await findIdentity(name, workplace));
  if (json) return printJson(identity);
  const { userName, id, enabled, mayUseApi, email, upn, groups } = identity;
  printRecord({
    'user name': userName ?? '',
    identity: id,
    enabled: enabled ? 'yes' : 'no',
    'may use the API': mayUseApi ? 'yes' : 'no',
    'e-mail': email ?? '',
    'principal name': upn ?? '',
    groups: groups.join(' '),
  });
}

export function switchIdentity(enabled: boolean) {
  return async (name: string, _: unknown, workplace: Workplace) => {
    const identity = accepted(await enableIdentity(name, enabled, workplace));
    print(`The identity ${identity.id} is ${enabled ? 'enabled' : 'disabled'}`);
    result(identity);
  };
}

export async function printPasskeys(name: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const passkeys = accepted(await listPasskeys(name, workplace)).map(({ id, name: called, createdAt, usedAt }) => ({
    id,
    name: called,
    createdAt: isoTime(createdAt),
    ...(usedAt !== undefined && { usedAt: isoTime(usedAt) }),
  }));
  if (json) return printJson(passkeys);
  const lines = passkeys.map(({ id, name: called, createdAt, usedAt }) => [called, id, createdAt, usedAt]);
  printTable(['name', 'id', 'added', 'last used'], lines);
}

export async function dropPasskeys(
  name: string,
  which: string | undefined,
  { all }: { all?: true },
  workplace: Workplace,
): Promise<void> {
  if ((which === undefined) === (all === undefined))
    throw new CommandFailure('usage', 'give either a passkey or --all', 'See: tessera identity passkey list IDENTITY');
  const removed = accepted(await removePasskey(name, which, workplace));
  print(`Removed ${counted(removed.length, 'passkey')} of ${name}, and ended its browser sessions`);
  result({ removed: removed.map(({ id }) => id) });
}
