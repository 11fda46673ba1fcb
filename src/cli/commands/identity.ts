import type { Command } from 'commander';
import { asCount, asYesNo, collect, examples } from '../terminal/options.ts';
import type { PasswordFlags } from '../terminal/password.ts';
import type { AddFlags, ListFlags } from './work/identity.ts';

const work = () => import('./work/identity.ts');

export function identityCommands(program: Command): void {
  const group = program.command('identity').description('identities of the local directory');
  declareAdd(group);
  declareSetPassword(group);
  declareList(group);
  declareShow(group);
  declareSwitch(group, 'disable', 'refuse the identity everywhere, within a second; its grants stay');
  declareSwitch(group, 'enable', 'accept a disabled identity again');
}

function withPassword(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--generate', 'make a password and print it, once');
}

function declareAdd(group: Command): void {
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
    .addHelpText(
      'after',
      examples(
        'tessera identity add ada --email ada@example.com --group staff',
        'tessera identity add ada --generate',
        'tessera identity add build-7 --no-password',
      ),
    )
    .action(async (userName: string, flags: AddFlags, command: Command) =>
      (await work()).addPerson(userName, flags, command),
    );
}

function declareSetPassword(group: Command): void {
  withPassword(group.command('set-password').argument('<identity>', 'user name or id'))
    .description('set a new password, and end the browser sessions of the old one')
    .addHelpText('after', examples('tessera identity set-password ada', 'tessera identity set-password ada --generate'))
    .action(async (name: string, flags: PasswordFlags, command: Command) =>
      (await work()).changePassword(name, flags, command),
    );
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list identities, including those derived from certificates')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera identity list', 'tessera identity list --json'))
    .action(async (flags: ListFlags, command: Command) => (await work()).printIdentities(flags, command));
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<identity>', 'user name or id')
    .description('show one identity')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera identity show ada'))
    .action(async (name: string, flags: { json?: true }, command: Command) =>
      (await work()).printIdentity(name, flags, command),
    );
}

function declareSwitch(group: Command, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<identity>', 'user name or id')
    .description(description)
    .addHelpText('after', examples(`tessera identity ${name} ada`))
    .action(async (identity: string, _: unknown, command: Command) =>
      (await work()).switchIdentity(identity, name === 'enable', command),
    );
}
