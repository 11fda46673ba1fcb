import type { Command } from 'commander';
import { asCount, examples } from '../terminal/options.ts';

const work = () => import('./work/keyring.ts');

export function keyringCommands(program: Command): void {
  const group = program
    .command('keyring')
    .description('the server keys: add one, copy the keyring to every node, mint with it, retire the old one');
  declareList(group);
  declareAdd(group);
  declareMint(group);
  declareRetire(group);
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the keys; never their secrets')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera keyring list'))
    .action(async (flags: { json?: true }, command: Command) => (await work()).printKeys(flags, command));
}

function declareAdd(group: Command): void {
  group
    .command('add')
    .description('add a key that only checks; copy the keyring to every node before it mints')
    .addHelpText('after', examples('tessera keyring add'))
    .action(async (_: unknown, command: Command) => (await work()).addNextKey(command));
}

function declareMint(group: Command): void {
  group
    .command('mint')
    .argument('<key>', 'its id', asCount)
    .description('mint with this key from now on; the previous key is kept to check its tokens')
    .option('--force', 'even if a node that ran in the last minutes has not reported the key')
    .addHelpText('after', examples('tessera keyring mint 2'))
    .action(async (id: number, flags: { force?: true }, command: Command) =>
      (await work()).mintWithNext(id, flags, command),
    );
}

function declareRetire(group: Command): void {
  group
    .command('retire')
    .argument('<key>', 'its id', asCount)
    .description('remove a key; refused while a live grant or access token needs it')
    .option('--at-once', 'do not wait for access tokens that the key minted; they stop working')
    .addHelpText('after', examples('tessera keyring retire 1'))
    .action(async (id: number, flags: { atOnce?: true }, command: Command) =>
      (await work()).retireOne(id, flags, command),
    );
}
