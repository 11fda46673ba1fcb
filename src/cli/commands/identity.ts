import type { WrittenIdentity } from '../../operations/admin/objects.ts';
import { systemRandom } from '../../system.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { describedBy, type Flag, type Flags, withFlags } from '../terminal/flags.ts';
import { asCount } from '../terminal/options.ts';
import { counted, print, printJson, printOnly, printSecret, printTable, remark, result } from '../terminal/output.ts';
import { obtainPassword, type PasswordFlags } from '../terminal/password.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { type Administration, change, itemsOf } from './steps.ts';
import { declareShow, declareSwitch, type Things } from './things.ts';

const IDENTITIES: Things<'identity'> = { kind: 'identity', argument: ['<identity>', 'user name or id'] };

const FLAGS: readonly Flag[] = [
  ['--email <address>', "matched with the e-mail of certificates; '' for none", 'email'],
  ['--upn <name>', "matched with the principal name of certificates; '' for none", 'upn'],
  ['--group <group>', 'a group it belongs to; may be repeated; replaces all', 'groups'],
  ['--no-group', 'it belongs to no group'],
  ['--api <yes|no>', 'whether it may use the web API (default: yes)', 'mayUseApi'],
  ['--shared', 'allow an e-mail or principal name that another identity has', 'mayShare'],
];
const PASSWORD: readonly Flag[] = [
  ['--password-stdin', 'read the password from standard input'],
  ['--generate', 'make a password and print it, once'],
];

export function identityCommands(program: CliCommand): void {
  const group = program.command('identity').description('identities of the local directory');
  const add = group.command('add').argument('<user_name>', 'the name to sign in with; also matched with a common name');
  withFlags(add, [...PASSWORD, ...FLAGS])
    .description('add an identity; asks for its password')
    .option('--no-password', 'for an identity that authorizes by certificate alone')
    .examples(
      'tessera identity add ada --email ada@example.com --group staff',
      'tessera identity add ada --generate',
      'tessera identity add build-7 --no-password',
    )
    .runs(administering(addPerson));
  withFlags(group.command('change').argument(...IDENTITIES.argument), FLAGS)
    .description('change names, groups or permission; its grants and its password stay')
    .option('--user-name <name>', 'a new name to sign in with')
    .examples(
      'tessera identity change ada --email ada@example.org',
      'tessera identity change ada --group staff --group ops',
    )
    .runs(administering(changePerson));
  group
    .command('remove')
    .argument(...IDENTITIES.argument)
    .description('remove an identity for good: its grants end, its names are free again')
    .option('--yes', 'confirm it')
    .examples('tessera identity remove ada --yes')
    .runs(administering(removePerson));
  withFlags(group.command('set-password').argument(...IDENTITIES.argument), PASSWORD)
    .description('set a new password, and end the browser sessions of the old one')
    .option('--remove-passkeys', 'remove its passkeys too')
    .examples('tessera identity set-password ada', 'tessera identity set-password ada --generate --remove-passkeys')
    .runs(administering(changePassword));
  group
    .command('list')
    .description('list identities, including those derived from certificates')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .examples('tessera identity list', 'tessera identity list --json')
    .runs(administering(printIdentities));
  declareShow(group, IDENTITIES, {
    about: 'show one identity',
    record: recordOf,
    examples: ['tessera identity show ada'],
  });
  const refused = 'refuse the identity everywhere, within a second; its grants stay';
  declareSwitch(group, IDENTITIES, 'disable', [refused, 'ada']);
  declareSwitch(group, IDENTITIES, 'enable', ['accept a disabled identity again', 'ada']);
  declarePasskeys(group.command('passkey').description('passkeys that people sign in with'));
}

function declarePasskeys(group: CliCommand): void {
  group
    .command('list')
    .argument(...IDENTITIES.argument)
    .description('list the passkeys of an identity')
    .option('--json', 'as JSON')
    .examples('tessera identity passkey list ada')
    .runs(administering(printPasskeys));
  group
    .command('invite')
    .argument(...IDENTITIES.argument)
    .description('print a code, once, to add a passkey that is enough for administration; good for a day')
    .examples('tessera identity passkey invite ada')
    .runs(administering(inviteToPasskey));
  group
    .command('remove')
    .argument(...IDENTITIES.argument)
    .argument('[passkey]', 'its name or id')
    .description('accept a passkey no longer, and end the browser sessions of the identity')
    .option('--all', 'all its passkeys')
    .examples('tessera identity passkey remove ada phone', 'tessera identity passkey remove ada --all')
    .runs(administering(dropPasskeys));
}

async function addPerson(userName: string, flags: Flags, { act }: Administration): Promise<void> {
  const obtained = flags['password'] ? await obtainPassword(flags, systemRandom) : undefined;
  const password = obtained && { password: obtained.password.reveal() };
  const body = { userName, ...describedBy(FLAGS, flags), ...password };
  const { id } = accepted(await act('identity-put', { id: userName, body, onlyIf: 'absent' })).value;
  print(`Added ${userName} as ${id}`);
  if (obtained?.isNew) printSecret(`Password, shown this once: ${obtained.password.reveal()}`);
  result({ id, userName, ...(obtained?.isNew && password) });
}

async function changePerson(name: string, flags: Flags, administration: Administration): Promise<void> {
  const { userName } = flags;
  const named = userName === undefined ? {} : { userName };
  if (Object.keys(describedBy(FLAGS, { ...flags, shared: undefined }, named)).length === 0)
    throw new CommandFailure('usage', 'say what to change', 'See: tessera identity change --help');
  const merge = (before: WrittenIdentity) => describedBy(FLAGS, flags, { ...before, ...named });
  const identity = await change('identity', name, merge, administration);
  print(`Changed ${identity.id}`);
  result(identity);
}

async function removePerson(name: string, { yes = false }: { yes?: boolean }, { act }: Administration): Promise<void> {
  const removed = await act('identity-remove', { id: name, query: { confirmed: yes } });
  const { id, endedGrants = 0 } = accepted(removed).value;
  print(`Removed ${id} and ended ${counted(endedGrants, 'grant')}`);
  result({ id, endedGrants });
}

interface SetPasswordFlags extends PasswordFlags {
  readonly removePasskeys?: true;
}

async function changePassword(name: string, flags: SetPasswordFlags, { act }: Administration): Promise<void> {
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

interface ListFlags {
  readonly limit: number;
  readonly json?: true;
}

async function printIdentities({ limit, json }: ListFlags, administration: Administration): Promise<void> {
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

async function printPasskeys(name: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('identity-passkey-list', { id: name })).value;
  if (json) return printJson(items);
  const lines = items.map(({ id, name: called, createdAt, usedAt }) => [called, id, createdAt, usedAt]);
  printTable(['name', 'id', 'added', 'last used'], lines);
}

async function inviteToPasskey(name: string, _: unknown, { act }: Administration): Promise<void> {
  const made = accepted(await act('identity-passkey-invite', { id: name })).value;
  printOnly(made.invitation, made);
  remark(`Good once, until ${made.endsAt}, on /account/passkeys, for whoever signs in as ${name}.`);
}

async function dropPasskeys(
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

function recordOf({ userName = '', id, enabled, mayUseApi, email = '', upn = '', groups = [] }: WrittenIdentity) {
  return {
    'user name': userName,
    identity: id,
    enabled: enabled ? 'yes' : 'no',
    'may use the API': mayUseApi ? 'yes' : 'no',
    'e-mail': email,
    'principal name': upn,
    groups: groups.join(' '),
  };
}
