import { SIGNING_ALGORITHMS } from '../../core/signing-key.ts';
import { declares } from '../terminal/manual.ts';
import { asKeyId } from '../terminal/options.ts';
import { besideStore } from './administration.ts';

const TEXT = `
keyring                       the server keys: add one, copy the keyring to every node, mint with it, retire the old one
  <key>                       its id
keyring list                  list the keys; never their secrets
  --json                      as JSON
  $ tessera keyring list
keyring add                   add a key that only checks; copy the keyring to every node before it mints
  --signing <algorithm>       add a key that signs JWTs instead; the first signs at once [${SIGNING_ALGORITHMS.join('|')}]
  $ tessera keyring add
  $ tessera keyring add --signing ES256
keyring mint <key>            mint or sign with this key from now on; the previous key is kept to check its tokens
  --force                     even if a running node has not reported the key, or a signing key was published too
      recently
  $ tessera keyring mint 2
  $ tessera keyring mint es256-0123456789abcdef
keyring retire <key>          remove a key; refused while a live grant or access token needs it
  --at-once                   do not wait for access tokens that the key minted; they stop working
  $ tessera keyring retire 1
  $ tessera keyring retire es256-0123456789abcdef
keyring rotate                do what is due with the signing keys: publish the next, sign with it, remove the old;
      safe to run daily
  --every <duration>          publish a new key when the one that signs is this old [= 90d]
  $ tessera keyring rotate
  $ tessera keyring rotate --every 30d
`;

const work = () => import('./work/keyring.ts');

export const commands = declares(
  TEXT,
  {
    'keyring list': besideStore(async () => (await work()).printKeys),
    'keyring add': besideStore(async () => (await work()).addNext),
    'keyring mint': besideStore(async () => (await work()).useNext),
    'keyring retire': besideStore(async () => (await work()).retire),
    'keyring rotate': besideStore(async () => (await work()).rotateSigning),
  },
  { '<key>': asKeyId },
);
