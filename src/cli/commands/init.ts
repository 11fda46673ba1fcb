import type { CliCommand } from '../terminal/cli-command.ts';

export function initCommand(program: CliCommand): void {
  program
    .command('init')
    .description('make what an installation lacks: tessera.yaml, keyring, store; never overwrites anything')
    .option('--public-url <url>', 'the address under which callers reach the service; without it, loopback only')
    .option('--data-folder <folder>', 'where keyring and store are kept', './data')
    .option(
      '--store <address>',
      'postgres://… without the password, for many nodes; without it, SQLite in the data folder',
    )
    .option('--integration <client_id>', 'register a first integration; needs --scope')
    .option('--scope <scope>', 'the scope of that integration')
    .option('--identity <user_name>', 'add a first identity, with a generated password that is printed once')
    .option('--operator <name>', 'put this identity, which is added if it is new, into the group operators')
    .examples(
      'tessera init --public-url https://tokens.example.com --data-folder /var/lib/tessera',
      'tessera init --store postgres://tessera_node@db.example.com/tessera?passwordFile=/etc/tessera/database',
      "tessera init --integration orders-sync --scope 'orders:read,write' --identity ada",
    )
    .runs(async () => (await import('../init/initialize.ts')).initialize);
}
