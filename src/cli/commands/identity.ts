import type { WrittenIdentity } from '../../operations/admin/objects.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { obtainPassword, type PasswordFlags } from '../terminal/input.ts';
import { declares, describes, type Flags } from '../terminal/manual.ts';
import { counted, print, printJson, printOnly, printSecret, printTable, remark, result } from '../terminal/output.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';
import { switches, worksOf, yesNo } from './things.ts';

const FLAGS = `
  --email <address>           matched with the e-mail of certificates; '' for none -> email
  --upn <name>                matched with the principal name of certificates; '' for none -> upn
  --group <group>             a group it belongs to; may be repeated; replaces all -> groups
  --no-group                  it belongs to no group
  --api <yes|no>              whether it may use the web API (default: yes) -> mayUseApi
  --shared                    allow an e-mail or principal name that another identity has -> mayShare
`;
const RENAMED = `
  --user-name <name>          a new name to sign in with -> userName
`;
const PASSWORD = `
  --password-stdin            read the password from standard input
  --generate                  make a password and print it, once
`;

const TEXT = `
identity                      identities of the local directory
  <identity>                  user name or id
identity add <user_name>      add an identity; asks for its password
  <user_name>                 the name to sign in with; also matched with a common name
${PASSWORD}${FLAGS}
  --no-password               for an identity that authorizes by certificate alone
  $ tessera identity add ada --email ada@example.com --group staff
  $ tessera identity add ada --generate
  $ tessera identity add build-7 --no-password
identity change <identity>    change names, groups or permission; its grants and its password stay
${FLAGS}${RENAMED}  $ tessera identity change ada --email ada@example.org
  $ tessera identity change ada --group staff --group ops
identity remove <identity>    remove an identity for good: its grants end, its names are free again
  --yes                       confirm it
  $ tessera identity remove ada --yes
identity set-password <identity>  set a new password, and end the browser sessions of the old one
${PASSWORD}
  --remove-passkeys           remove its passkeys too
  $ tessera identity set-password ada
  $ tessera identity set-password ada --generate --remove-passkeys
identity list                 list identities, including those derived from certificates
  --limit <count>             at most this many [= 1000]
  --json                      as JSON
  $ tessera identity list
  $ tessera identity list --json
identity show <identity>      show one identity
  --json                      as JSON
  $ tessera identity show ada
identity disable <identity>   refuse the identity everywhere, within a second; its grants stay
  $ tessera identity disable ada
identity enable <identity>    accept a disabled identity again
  $ tessera identity enable ada
identity passkey              passkeys that people sign in with
identity passkey list <identity>  list the passkeys of an identity
  --json                      as JSON
  $ tessera identity passkey list ada
identity passkey invite <identity>  print a code, once, to add a passkey that is enough for administration; good for a
      day
  $ tessera identity passkey invite ada
identity passkey remove <identity> [passkey]  accept a passkey no longer, and end the browser sessions of the identity
  [passkey]                   its name or id
  --all                       all its passkeys
  $ tessera identity passkey remove ada phone
  $ tessera identity passkey remove ada --all
`;

const described = describes(FLAGS + RENAMED);

export const commands = declares(TEXT, {
  ...worksOf('identity', {
    body: described,
    needsFlag: true,
    columns: ['user name', 'identity', 'enabled', 'e-mail', 'principal name', 'groups'],
    row: ({ userName, id, enabled, email, upn, groups }) => [
      userName,
      id,
      yesNo(enabled),
      email,
      upn,
      groups?.join(' '),
    ],
    order: byName,
    record: recordOf,
    removed: (id, endedGrants) => [`Removed ${id} and ended ${counted(endedGrants, 'grant')}`, { id, endedGrants }],
  }),
  ...switches('identity'),
  'identity add': administering(addPerson),
  'identity set-password': administering(changePassword),
  'identity passkey list': administering(printPasskeys),
  'identity passkey invite': administering(inviteToPasskey),
  'identity passkey remove': administering(dropPasskeys),
});

async function addPerson(userName: string, flags: Flags, { act }: Administration): Promise<void> {
  const obtained = flags['password'] ? await obtainPassword(flags) : undefined;
  const password = obtained && { password: obtained.password.reveal() };
  const body = { userName, ...described(flags), ...password };
  const { id } = await act('identity-put', { id: userName, body, onlyIf: 'absent' });
  print(`Added ${userName} as ${id}`);
  if (obtained?.isNew) printSecret(`Password, shown this once: ${obtained.password.reveal()}`);
  result({ id, userName, ...(obtained?.isNew && password) });
}

type AllFlag = { readonly all?: true };
type SetPasswordFlags = PasswordFlags & { readonly removePasskeys?: true };

async function changePassword(name: string, flags: SetPasswordFlags, { act }: Administration): Promise<void> {
  await act('identity-show', { id: name }); // before the person types a password
  const { password, isNew } = await obtainPassword(flags);
  const body = { password: password.reveal() };
  const { id } = await act('identity-password', { id: name, body });
  print(`Set the password of ${id}`);
  if (isNew) printSecret(`Password, shown this once: ${password.reveal()}`);
  const passkeys = (await act('identity-passkey-list', { id })).items.length;
  const removed = passkeys > 0 && flags.removePasskeys ? passkeys : 0;
  if (removed > 0) {
    await act('identity-passkey-remove', { id, query: { all: true } });
    print(`Removed ${counted(removed, 'passkey')}`);
  } else if (passkeys > 0) {
    remark(
      `${counted(passkeys, 'passkey')} still good to sign in. To remove: tessera identity passkey remove ${name} --all`,
    );
  }
  result({ id, passkeys: passkeys - removed, ...(isNew && { password: password.reveal() }) });
}

function byName(a: WrittenIdentity, b: WrittenIdentity): number {
  return (a.userName ?? a.id ?? '') < (b.userName ?? b.id ?? '') ? -1 : 1;
}

async function printPasskeys(name: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = await act('identity-passkey-list', { id: name });
  if (json) return printJson(items);
  const lines = items.map(({ id, name: called, createdAt, usedAt }) => [called, id, createdAt, usedAt]);
  printTable(['name', 'id', 'added', 'last used'], lines);
}

async function inviteToPasskey(name: string, _: unknown, { act }: Administration): Promise<void> {
  const made = await act('identity-passkey-invite', { id: name });
  printOnly(made.invitation, made);
  remark(`Good once, until ${made.endsAt}, on /account/passkeys, for whoever signs in as ${name}.`);
}

async function dropPasskeys(name: string, passkey: string | undefined, { all }: AllFlag, { act }: Administration) {
  if ((passkey === undefined) === (all === undefined))
    throw new CommandFailure('usage', 'give either a passkey or --all', 'See: tessera identity passkey list IDENTITY');
  const query = all ? { all } : { passkey };
  const { items } = await act('identity-passkey-remove', { id: name, query });
  print(`Removed ${counted(items.length, 'passkey')} of ${name}, and ended its browser sessions`);
  result({ removed: items.map(({ id }) => id) });
}

function recordOf({ userName = '', id, enabled, mayUseApi, email = '', upn = '', groups = [] }: WrittenIdentity) {
  return {
    'user name': userName,
    identity: id,
    enabled: yesNo(enabled),
    'may use the API': yesNo(mayUseApi),
    'e-mail': email,
    'principal name': upn,
    groups: groups.join(' '),
  };
}
