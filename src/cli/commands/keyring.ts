import { InvalidArgumentError } from 'commander';
import { SIGNING_ALGORITHMS } from '../../core/signing-key.ts';
import { group } from '../terminal/command.ts';
import { AS_JSON, argument, duration, flag, oneOf, usually } from '../terminal/options.ts';
import { besideStore } from './administration.ts';

/** The id of a MAC key is a number, that of a signing key a text. */
const KEY = { key: { ...argument('its id'), parse: asKeyId } };

function asKeyId(text: string): number | string {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(text)) throw new InvalidArgumentError('Expected the id of a key.');
  return text;
}

const work = () => import('./work/keyring.ts');

export const commands = {
  keyring: group('the server keys: add one, copy the keyring to every node, mint with it, retire the old one', {
    list: besideStore({
      about: 'list the keys; never their secrets',
      options: AS_JSON,
      examples: ['tessera keyring list'],
      run: async (given, place) => (await work()).printKeys(given, place),
    }),
    add: besideStore({
      about: 'add a key that only checks; copy the keyring to every node before it mints',
      options: {
        signing: oneOf('<algorithm>', SIGNING_ALGORITHMS, 'add a key that signs JWTs instead; the first signs at once'),
      },
      examples: ['tessera keyring add', 'tessera keyring add --signing ES256'],
      run: async (given, place) => (await work()).addNext(given, place),
    }),
    mint: besideStore({
      about: 'mint or sign with this key from now on; the previous key is kept to check its tokens',
      arguments: KEY,
      options: {
        force: flag('even if a running node has not reported the key, or a signing key was published too recently'),
      },
      examples: ['tessera keyring mint 2', 'tessera keyring mint es256-0123456789abcdef'],
      run: async (given, place) => (await work()).useNext(given, place),
    }),
    retire: besideStore({
      about: 'remove a key; refused while a live grant or access token needs it',
      arguments: KEY,
      options: { atOnce: flag('do not wait for access tokens that the key minted; they stop working') },
      examples: ['tessera keyring retire 1', 'tessera keyring retire es256-0123456789abcdef'],
      run: async (given, place) => (await work()).retire(given, place),
    }),
    rotate: besideStore({
      about: 'do what is due with the signing keys: publish the next, sign with it, remove the old; safe to run daily',
      options: { every: usually('90d', duration('publish a new key when the one that signs is this old')) },
      examples: ['tessera keyring rotate', 'tessera keyring rotate --every 30d'],
      run: async (given, place) => (await work()).rotateSigning(given, place),
    }),
  }),
};
