// The test vectors of docs/exactly-once-refresh.md, computed by the code that serves requests.
//   node test/tokens/vectors.ts > docs/vectors/exactly-once-refresh.json
import type { Grant, GrantId } from '../../src/core/grant.ts';
import type { Hex } from '../../src/core/hex.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { type Key, Keyring, type StoredMacKey } from '../../src/tokens/keyring.ts';
import {
  type Derivation,
  firstRefreshToken,
  NO_NONCE,
  nextRefreshToken,
  opaqueAccessToken,
  sameRefreshToken,
  standingOf,
} from '../../src/tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../src/tokens/opaque/token-text.ts';
import type { Secret } from '../../src/tokens/secret.ts';
import { aGrant } from '../samples.ts';

interface Generation {
  readonly generation: number;
  readonly keyId: number;
  readonly nonce: string;
  /** Of its secret; generation 0 has a random one. */
  readonly derivedFrom?: Derivation;
  readonly expiresAt: number;
  readonly secret: string;
  readonly refreshHash: string;
  readonly refreshToken: string;
  readonly accessToken: string;
}

interface Presentation {
  readonly presented: number;
  readonly row: number;
  readonly standing: string;
  /** Of a forged token: not that of the grant. */
  readonly root?: string;
  /** For a spent token that gives the row's: the generation whose pair the answer repeats, byte for byte. */
  readonly repeats?: number;
}

export interface Vectors {
  readonly keys: readonly { readonly id: number; readonly secret: string }[];
  readonly grantId: string;
  readonly root: string;
  readonly accessHash: string;
  readonly generations: readonly Generation[];
  readonly presentations: readonly Presentation[];
}

const BEGINS = 1_800_000_000;
const GENERATIONS = 5;
/** As releases up to 0.3.4 derive; then, as later ones do. */
const LAST_FROM_SECRET = 2;
const derivationOf = (generation: number) => (generation > LAST_FROM_SECRET ? 'root' : 'secret');

/** Bytes that are unique in the vectors: 16 (or more) bytes counting up from `first`. */
function counting(first: number, length = 16): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (first + index) & 0xff));
}

const KEYS: readonly StoredMacKey[] = [
  { kind: 'mac', id: 1, state: 'retiring', secret: counting(0x10, 32) },
  { kind: 'mac', id: 2, state: 'minting', secret: counting(0x80, 32) },
];
const GRANT_ID = counting(0x40).toString('hex') as GrantId;
const ROOT = counting(0xa0);
const FORGED_ROOT = counting(0xf0);

interface Held {
  readonly token: RefreshToken;
  readonly pair: { readonly accessToken: Secret; readonly refreshToken: Secret };
  readonly grant: Grant;
}

/** Generations 0 and 1 are made under key 1, the others under key 2: a rotation of keys changes nothing for the caller. */
export function computeVectors(): Vectors {
  const keyring = new Keyring(KEYS);
  const held: Held[] = [];
  for (let generation = 0; generation < GENERATIONS; generation++) held.push(next(held.at(-1), generation, keyring));
  const [first] = held;
  return {
    keys: KEYS.map(({ id, secret }) => ({ id, secret: secret.toString('hex') })),
    grantId: GRANT_ID,
    root: ROOT.toString('hex'),
    accessHash: first?.grant.accessHash ?? '',
    generations: held.map(shown),
    presentations: held.flatMap(({ grant }) =>
      [...held.map(({ token }) => token), ...held.map(({ token }) => ({ ...token, root: FORGED_ROOT }))].map((token) =>
        presented(token, grant, held, keyring),
      ),
    ),
  };
}

function next(before: Held | undefined, generation: number, keyring: Keyring): Held {
  const key = keyring.key(generation < 2 ? 1 : 2) as Key;
  const expiresAt = epochSeconds(BEGINS + 3600 * (generation + 1));
  const nonce = before ? (counting(0xc0 + 16 * generation).toString('hex') as Hex) : NO_NONCE;
  const first = firstRefreshToken(GRANT_ID, { root: ROOT, secret: counting(0xb0) }, key);
  const minted = before ? nextRefreshToken(before.token, nonce, key, derivationOf(generation)) : first;
  const grant = before?.grant ?? aGrant({ id: GRANT_ID, accessHash: first.accessHash });
  const { refreshHash, refreshToken } = minted;
  const row = { ...grant, pair: { ...grant.pair, generation, keyId: key.id, nonce, refreshHash, expiresAt } };
  const token = parseRefreshToken(refreshToken.reveal(), keyring) as RefreshToken;
  return { token, pair: { refreshToken, accessToken: opaqueAccessToken(row, minted.root, keyring) }, grant: row };
}

function shown({ token, pair, grant }: Held): Generation {
  const { generation, keyId, nonce, expiresAt, refreshHash } = grant.pair;
  return {
    generation,
    keyId,
    nonce,
    ...(generation > 0 && { derivedFrom: derivationOf(generation) }),
    expiresAt,
    secret: token.secret.toString('hex'),
    refreshHash,
    refreshToken: pair.refreshToken.reveal(),
    accessToken: pair.accessToken.reveal(),
  };
}

function presented(token: RefreshToken, grant: Grant, held: readonly Held[], keyring: Keyring): Presentation {
  const standing = standingOf(token, grant, keyring);
  const root = token.root.equals(ROOT) ? {} : { root: token.root.toString('hex') };
  const facts = { presented: token.generation, row: grant.pair.generation, standing, ...root };
  if (standing !== 'last-spent' && standing !== 'ancestor') return facts;
  const again = sameRefreshToken(token, grant, keyring).refreshToken.reveal();
  return { ...facts, repeats: held.findIndex(({ pair }) => pair.refreshToken.reveal() === again) };
}

if (import.meta.main) console.log(JSON.stringify(computeVectors(), null, 2));
