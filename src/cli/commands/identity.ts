import type { Command } from 'commander';
import type { Identity } from '../../core/identity.ts';
import { asCount, asYesNo, collect, examples } from '../terminal/options.ts';
import { print, printJson, printRecord, printTable, remark } from '../terminal/output.ts';
import type { PasswordFlags } from '../terminal/password.ts';
import { atWorkplace } from '../terminal/workplace.ts';

export function identityCommands(program: Command): void {
  const group = program.command('identity').description('identities of the local directory');
  declareAdd(group);
  declareSetPassword(group);
  declareList(group);
  declareShow(group);
  declareSwitch(group, 'disable', 'refuse the identity everywhere, within a second; its grants stay');
  declareSwitch(group, 'enable', 'accept a disabled identity again');
}

interface AddFlags extends PasswordFlags {
  readonly email?: string;
  readonly upn?: string;
  readonly group?: readonly string[];
  readonly api?: boolean;
  readonly shared?: true;
  /** False where --no-password was given. */
  readonly password: boolean;
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
    .action((userName: string, flags: AddFlags, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { addIdentity } = await import('../../operations/admin/add-identity.ts');
        const { obtainPassword } = await import('../terminal/password.ts');
        const { granted } = await import('../terminal/wording.ts');
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
        const { id } = granted(await addIdentity(draft, workplace));
        print(`Added ${userName} as ${id}`);
        if (obtained?.isNew) print(`Password, shown this once: ${obtained.password.reveal()}`);
      }),
    );
}

function declareSetPassword(group: Command): void {
  withPassword(group.command('set-password').argument('<identity>', 'user name or id'))
    .description('set a new password, and end the browser sessions of the old one')
    .addHelpText('after', examples('tessera identity set-password ada', 'tessera identity set-password ada --generate'))
    .action((name: string, flags: PasswordFlags, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { setPassword } = await import('../../operations/admin/set-password.ts');
        const { findIdentity } = await import('../../operations/admin/find-identity.ts');
        const { obtainPassword } = await import('../terminal/password.ts');
        const { granted } = await import('../terminal/wording.ts');
        granted(await findIdentity(name, workplace)); // before asking for a password in vain
        const { password, isNew } = await obtainPassword(flags, workplace.random);
        const { id } = granted(await setPassword(name, password, workplace));
        print(`Set the password of ${id}`);
        if (isNew) print(`Password, shown this once: ${password.reveal()}`);
      }),
    );
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list identities, those made from certificates too')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera identity list', 'tessera identity list --json'))
    .action(({ json, limit }: { json?: true; limit: number }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { identities } = await import('../../store/tables/identities.ts');
        const found = await store.page(identities, { limit: limit + 1 });
        const shown = found.slice(0, limit).sort(byName);
        if (json) printJson(shown);
        else printTable(['user name', 'identity', 'enabled', 'e-mail', 'principal name', 'groups'], shown.map(rowOf));
        if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
      }),
    );
}

function byName(a: Identity, b: Identity): number {
  return (a.userName ?? a.id) < (b.userName ?? b.id) ? -1 : 1;
}

function rowOf({ userName, id, enabled, email, upn, groups }: Identity) {
  return [userName, id, enabled ? 'yes' : 'no', email, upn, groups.join(' ')];
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<identity>', 'user name or id')
    .description('show one identity')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera identity show ada'))
    .action((name: string, { json }: { json?: true }, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { findIdentity } = await import('../../operations/admin/find-identity.ts');
        const { granted } = await import('../terminal/wording.ts');
        const identity = granted(await findIdentity(name, workplace));
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
      }),
    );
}

function declareSwitch(group: Command, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<identity>', 'user name or id')
    .description(description)
    .addHelpText('after', examples(`tessera identity ${name} ada`))
    .action((identity: string, _: unknown, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { enableIdentity } = await import('../../operations/admin/enable-identity.ts');
        const { granted } = await import('../terminal/wording.ts');
        const { id } = granted(await enableIdentity(identity, name === 'enable', workplace));
        print(`The identity ${id} is ${name}d`);
      }),
    );
}
