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
}
