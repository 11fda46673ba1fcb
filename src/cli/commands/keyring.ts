import { SIGNING_ALGORITHMS } from '../../core/signing-key.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asDuration, asKeyId } from '../terminal/options.ts';

const work = () => import('./work/keyring.ts');

export function keyringCommands(program: CliCommand): void {
  const group = program
    .command('keyring')
    .description('the server keys: add one, copy the keyring to every node, mint with it, retire the old one');
  declareList(group);
  declareAdd(group);
  declareMint(group);
  declareRetire(group);
  declareRotate(group);
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the keys; never their secrets')
    .option('--json', 'as JSON')
    .examples('tessera keyring list')
    .acts(async () => (await work()).printKeys);
}

function declareAdd(group: CliCommand): void {
  group
    .command('add')
    .description('add a key that only checks; copy the keyring to every node before it mints')
    .choice('--signing <algorithm>', 'add a key that signs JWTs instead; the first signs at once', SIGNING_ALGORITHMS)
    .examples('tessera keyring add', 'tessera keyring add --signing ES256')
    .acts(async () => (await work()).addNext);
}

function declareMint(group: CliCommand): void {
  group
    .command('mint')
    .argument('<key>', 'its id', asKeyId)
    .description('mint or sign with this key from now on; the previous key is kept to check its tokens')
    .option('--force', 'even if a running node has not reported the key, or a signing key was published too recently')
    .examples('tessera keyring mint 2', 'tessera keyring mint es256-0123456789abcdef')
    .acts(async () => (await work()).useNext);
}

function declareRetire(group: CliCommand): void {
  group
    .command('retire')
    .argument('<key>', 'its id', asKeyId)
    .description('remove a key; refused while a live grant or access token needs it')
    .option('--at-once', 'do not wait for access tokens that the key minted; they stop working')
    .examples('tessera keyring retire 1', 'tessera keyring retire es256-0123456789abcdef')
    .acts(async () => (await work()).retire);
}

function declareRotate(group: CliCommand): void {
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
    .examples('tessera keyring rotate', 'tessera keyring rotate --every 30d')
    .acts(async () => (await work()).rotateSigning);
}
