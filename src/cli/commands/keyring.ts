import { type Command, Option } from 'commander';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../core/signing-key.ts';
import type { Seconds } from '../../core/time.ts';
import { asDuration, asKeyId, examples } from '../terminal/options.ts';

const work = () => import('./work/keyring.ts');

export function keyringCommands(program: Command): void {
  const group = program
    .command('keyring')
    .description('the server keys: add one, copy the keyring to every node, mint with it, retire the old one');
  declareList(group);
  declareAdd(group);
  declareMint(group);
  declareRetire(group);
  declareRotate(group);
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
    .addOption(
      new Option('--signing <algorithm>', 'add a key that signs JWTs instead; the first signs at once').choices(
        SIGNING_ALGORITHMS,
      ),
    )
    .addHelpText('after', examples('tessera keyring add', 'tessera keyring add --signing ES256'))
    .action(async ({ signing }: { signing?: SigningAlgorithm }, command: Command) =>
      signing ? (await work()).addNextSigningKey(signing, command) : (await work()).addNextKey(command),
    );
}

function declareMint(group: Command): void {
  group
    .command('mint')
    .argument('<key>', 'its id', asKeyId)
    .description('mint or sign with this key from now on; the previous key is kept to check its tokens')
    .option('--force', 'even if a running node has not reported the key, or a signing key was published too recently')
    .addHelpText('after', examples('tessera keyring mint 2', 'tessera keyring mint es256-0123456789abcdef'))
    .action(async (id: number | string, flags: { force?: true }, command: Command) =>
      typeof id === 'number'
        ? (await work()).mintWithNext(id, flags, command)
        : (await work()).signWithNext(id, flags, command),
    );
}

function declareRetire(group: Command): void {
  group
    .command('retire')
    .argument('<key>', 'its id', asKeyId)
    .description('remove a key; refused while a live grant or access token needs it')
    .option('--at-once', 'do not wait for access tokens that the key minted; they stop working')
    .addHelpText('after', examples('tessera keyring retire 1', 'tessera keyring retire es256-0123456789abcdef'))
    .action(async (id: number | string, flags: { atOnce?: true }, command: Command) =>
      typeof id === 'number'
        ? (await work()).retireOne(id, flags, command)
        : (await work()).retireOneSigning(id, flags, command),
    );
}

function declareRotate(group: Command): void {
  group
    .command('rotate')
    .description(
      'do what is due with the signing keys: publish the next, sign with it, remove the old; safe to run daily',
    )
    .option(
      '--every <duration>',
      'publish a new key when the one that signs is this old',
      asDuration,
      asDuration('90d'),
    )
    .addHelpText('after', examples('tessera keyring rotate', 'tessera keyring rotate --every 30d'))
    .action(async ({ every }: { every: Seconds }, command: Command) => (await work()).rotateSigning(every, command));
}
