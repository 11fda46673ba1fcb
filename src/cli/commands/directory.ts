import type { CliCommand } from '../terminal/cli-command.ts';

export function directoryCommands(program: CliCommand): void {
  const group = program.command('directory').description('LDAP and Active Directory');
  group
    .command('check')
    .argument('<label>', 'the directory, as the configuration names it')
    .description('show step by step what can be seen of a directory; changes nothing')
    .option('--name <name>', 'a user name, e-mail address or user principal name to look for')
    .option('--json', 'as JSON')
    .examples('tessera directory check corp', 'tessera directory check corp --name ada@example.com')
    .runs(async () => (await import('./work/directory.ts')).check);
  group
    .command('recheck')
    .argument('<label>', 'the directory, as the configuration names it')
    .description('ask it now about everybody who has a living grant; accounts that ended there end here')
    .option('--accept-endings', 'end them even if they are more than 5 % and at least 10')
    .option('--json', 'as JSON')
    .examples('tessera directory recheck corp', 'tessera directory recheck corp --accept-endings')
    .runs(async () => (await import('./work/directory.ts')).recheck);
}
