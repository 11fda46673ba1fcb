import type { WrittenIdentity } from '../../../operations/admin/objects.ts';
import { systemRandom } from '../../../system.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import {
  counted,
  print,
  printJson,
  printOnly,
  printRecord,
  printSecret,
  printTable,
  remark,
  result,
} from '../../terminal/output.ts';
import { obtainPassword, type PasswordFlags } from '../../terminal/password.ts';
import { accepted } from '../../terminal/wording.ts';
import { type Administration, change, itemsOf } from './steps.ts';

export interface AddFlags extends PasswordFlags {
  readonly email?: string;
  readonly upn?: string;
  readonly group?: readonly string[];
  readonly api?: boolean;
  readonly shared?: true;
  /** False with --no-password. */
  readonly password: boolean;
}

export async function addPerson(userName: string, flags: AddFlags, { act }: Administration): Promise<void> {
  const { password: wanted, api, group: groups = [], shared, email, upn } = flags;
  const obtained = wanted ? await obtainPassword(flags, systemRandom) : undefined;
  const body = {
    userName,
    groups,
    ...(email !== undefined && { email }),
    ...(upn !== undefined && { upn }),
    ...(api !== undefined && { mayUseApi: api }),
    ...(shared && { mayShare: true }),
    ...(obtained && { password: obtained.password.reveal() }),
  };
  const { id } = accepted(await act('identity-put', { id: userName, body, onlyIf: 'absent' })).value;
  print(`Added ${userName} as ${id}`);
  if (obtained?.isNew) printSecret(`Password, shown this once: ${obtained.password.reveal()}`);
  result({ id, userName, ...(obtained?.isNew && { password: obtained.password.reveal() }) });
}

export interface ChangeFlags extends Pick<AddFlags, 'email' | 'upn' | 'api' | 'shared'> {
  readonly userName?: string;
  /** False with --no-group. */
  readonly group?: readonly string[] | boolean;
}

export async function changePerson(name: string, flags: ChangeFlags, administration: Administration): Promise<void> {
  const { userName, email, upn, api, group, shared } = flags;
  const draft = {
    ...(userName !== undefined && { userName }),
    ...(email !== undefined && { email }),
    ...(upn !== undefined && { upn }),
    ...(group === false && { groups: [] }),
    ...(Array.isArray(group) && { groups: group as readonly string[] }),
    ...(api !== undefined && { mayUseApi: api }),
  };
  if (Object.keys(draft).length === 0)
    throw new CommandFailure('usage', 'say what to change', 'See: tessera identity change --help');
  const merge = (before: WrittenIdentity) => ({ ...before, ...draft, ...(shared && { mayShare: true }) });
  const identity = await change('identity', name, merge, administration);
  print(`Changed ${identity.id}`);
  result(identity);
}

export async function removePerson(
  name: string,
  { yes = false }: { yes?: boolean },
  { act }: Administration,
): Promise<void> {
  const removed = await act('identity-remove', { id: name, query: { confirmed: yes } });
  const { id, endedGrants = 0 } = accepted(removed).value;
  print(`Removed ${id} and ended ${counted(endedGrants, 'grant')}`);
  result({ id, endedGrants });
}

export interface SetPasswordFlags extends PasswordFlags {
  readonly removePasskeys?: true;
}

export async function changePassword(name: string, flags: SetPasswordFlags, { act }: Administration): Promise<void> {
  accepted(await act('identity-show', { id: name })); // before the person types a password
  const { password, isNew } = await obtainPassword(flags, systemRandom);
  const body = { password: password.reveal() };
  const { id } = accepted(await act('identity-password', { id: name, body })).value;
  print(`Set the password of ${id}`);
  if (isNew) printSecret(`Password, shown this once: ${password.reveal()}`);
  const passkeys = accepted(await act('identity-passkey-list', { id })).value.items.length;
  const removed = passkeys > 0 && flags.removePasskeys ? passkeys : 0;
  if (removed > 0) {
    accepted(await act('identity-passkey-remove', { id, query: { all: true } }));
    print(`Removed ${counted(removed, 'passkey')}`);
  } else if (passkeys > 0) {
    remark(
      `${counted(passkeys, 'passkey')} still good to sign in. To remove: tessera identity passkey remove ${name} --all`,
    );
  }
  result({ id, passkeys: passkeys - removed, ...(isNew && { password: password.reveal() }) });
}

export interface ListFlags {
  readonly limit: number;
  readonly json?: true;
}

export async function printIdentities({ limit, json }: ListFlags, administration: Administration): Promise<void> {
  const found = await itemsOf('identity-list', {}, administration, limit + 1);
  const identities = found.slice(0, limit).sort(byName);
  if (json) printJson(identities);
  else printTable(['user name', 'identity', 'enabled', 'e-mail', 'principal name', 'groups'], identities.map(rowOf));
  if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
}

function byName(a: WrittenIdentity, b: WrittenIdentity): number {
  return (a.userName ?? a.id ?? '') < (b.userName ?? b.id ?? '') ? -1 : 1;
}

function rowOf({ userName, id, enabled, email, upn, groups = [] }: WrittenIdentity) {
  return [userName, id, enabled ? 'yes' : 'no', email, upn, groups.join(' ')];
}

export async function printIdentity(name: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const identity = accepted(await act('identity-show', { id: name })).value;
  if (json) return printJson(identity);
  const { userName, id, enabled, mayUseApi, email, upn, groups = [] } = identity;
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
  return async (name: string, _: unknown, { act }: Administration) => {
    const identity = accepted(await act(enabled ? 'identity-enable' : 'identity-disable', { id: name })).value;
    print(`The identity ${identity.id} is ${enabled ? 'enabled' : 'disabled'}`);
    result(identity);
  };
}

export async function printPasskeys(name: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('identity-passkey-list', { id: name })).value;
  if (json) return printJson(items);
  const lines = items.map(({ id, name: called, createdAt, usedAt }) => [called, id, createdAt, usedAt]);
  printTable(['name', 'id', 'added', 'last used'], lines);
}

export async function inviteToPasskey(name: string, _: unknown, { act }: Administration): Promise<void> {
  const made = accepted(await act('identity-passkey-invite', { id: name })).value;
  printOnly(made.invitation, made);
  remark(`Good once, until ${made.endsAt}, on /account/passkeys, for whoever signs in as ${name}.`);
}

export async function dropPasskeys(
  name: string,
  passkey: string | undefined,
  { all }: { all?: true },
  { act }: Administration,
): Promise<void> {
  if ((passkey === undefined) === (all === undefined))
    throw new CommandFailure('usage', 'give either a passkey or --all', 'See: tessera identity passkey list IDENTITY');
  const query = all ? { all } : { passkey };
  const { items } = accepted(await act('identity-passkey-remove', { id: name, query })).value;
  print(`Removed ${counted(items.length, 'passkey')} of ${name}, and ended its browser sessions`);
  result({ removed: items.map(({ id }) => id) });
}
