import type { CliCommand } from '../terminal/cli-command.ts';
import { asCount, asYesNo, collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/identity.ts');

export function identityCommands(program: CliCommand): void {
  const group = program.command('identity').description('identities of the local directory');
  declareAdd(group);
  declareChange(group);
  declareRemove(group);
  declareSetPassword(group);
  declareList(group);
  declareShow(group);
  declareSwitch(group, 'disable', 'refuse the identity everywhere, within a second; its grants stay');
  declareSwitch(group, 'enable', 'accept a disabled identity again');
  declarePasskeys(group.command('passkey').description('passkeys that people sign in with'));
}

function withPassword(command: CliCommand): CliCommand {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--generate', 'make a password and print it, once');
}

function declareAdd(group: CliCommand): void {
  withPassword(
    group.command('add').argument('<user_name>', 'the name to sign in with; also matched with a common name'),
  )
    .description('add an identity; asks for its password')
    .option('--email <address>', 'matched with the e-mail of certificates')
    .option('--upn <name>', 'matched with the principal name of certificates')
    .option('--group <group>', 'a group it belongs to; may be repeated', collect)
    .option('--api <yes|no>', 'whether it may use the web API (default: yes)', asYesNo)
    .option('--shared', 'allow an e-mail or principal name that another identity has')
    .option('--no-password', 'for an identity that authorizes by certificate alone')
    .examples(
      'tessera identity add ada --email ada@example.com --group staff',
      'tessera identity add ada --generate',
      'tessera identity add build-7 --no-password',
    )
    .runs(administers(async () => (await work()).addPerson));
}

function declareChange(group: CliCommand): void {
  group
    .command('change')
    .argument('<identity>', 'user name or id')
    .description('change names, groups or permission; its grants and its password stay')
    .option('--user-name <name>', 'a new name to sign in with')
    .option('--email <address>', "matched with the e-mail of certificates; '' removes it")
    .option('--upn <name>', "matched with the principal name of certificates; '' removes it")
    .option('--group <group>', 'its groups from now on; may be repeated', collect)
    .option('--no-group', 'it belongs to no group')
    .option('--api <yes|no>', 'whether it may use the web API', asYesNo)
    .option('--shared', 'allow an e-mail or principal name that another identity has')
    .examples(
      'tessera identity change ada --email ada@example.org',
      'tessera identity change ada --group staff --group ops',
    )
    .runs(administers(async () => (await work()).changePerson));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<identity>', 'user name or id')
    .description('remove an identity for good: its grants end, its names are free again')
    .option('--yes', 'confirm it')
    .examples('tessera identity remove ada --yes')
    .runs(administers(async () => (await work()).removePerson));
}

function declareSetPassword(group: CliCommand): void {
  withPassword(group.command('set-password').argument('<identity>', 'user name or id'))
    .description('set a new password, and end the browser sessions of the old one')
    .option('--remove-passkeys', 'remove its passkeys too')
    .examples('tessera identity set-password ada', 'tessera identity set-password ada --generate --remove-passkeys')
    .runs(administers(async () => (await work()).changePassword));
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list identities, including those derived from certificates')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .examples('tessera identity list', 'tessera identity list --json')
    .runs(administers(async () => (await work()).printIdentities));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<identity>', 'user name or id')
    .description('show one identity')
    .option('--json', 'as JSON')
    .examples('tessera identity show ada')
    .runs(administers(async () => (await work()).printIdentity));
}

function declareSwitch(group: CliCommand, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<identity>', 'user name or id')
    .description(description)
    .examples(`tessera identity ${name} ada`)
    .runs(administers(async () => (await work()).switchIdentity(name === 'enable')));
}

function declarePasskeys(group: CliCommand): void {
  group
    .command('list')
    .argument('<identity>', 'user name or id')
    .description('list the passkeys of an identity')
    .option('--json', 'as JSON')
    .examples('tessera identity passkey list ada')
    .runs(administers(async () => (await work()).printPasskeys));
  group
    .command('invite')
    .argument('<identity>', 'user name or id')
    .description('print a code, once, to add a passkey that is enough for administration; good for a day')
    .examples('tessera identity passkey invite ada')
    .runs(administers(async () => (await work()).inviteToPasskey));
  group
    .command('remove')
    .argument('<identity>', 'user name or id')
    .argument('[passkey]', 'its name or id')
    .description('accept a passkey no longer, and end the browser sessions of the identity')
    .option('--all', 'all its passkeys')
    .examples('tessera identity passkey remove ada phone', 'tessera identity passkey remove ada --all')
    .runs(administers(async () => (await work()).dropPasskeys));
}
