// A node whose integration gets JWTs, with its signing keys in a keyring and in the store.

import type { SigningAlgorithm } from '../src/core/signing-key.ts';
import { publishKeys } from '../src/operations/admin/signing-keys.ts';
import type { Store } from '../src/store/store.ts';
import { addSigningKey, firstKey, Keyring, type StoredKey } from '../src/tokens/keyring.ts';
import { aNode, changeIntegration, type Node, type TestClock } from './node.ts';
import { OPERATOR } from './samples.ts';

export interface JwtNode {
  readonly node: Node;
  /** What its keyring holds. */
  keys: readonly StoredKey[];
  /** Reads another keyring, as a service does when the file changes. */
  readonly exchange: (keys: readonly StoredKey[]) => void;
}

export async function aJwtNode(
  store: Store,
  clock: TestClock,
  algorithm: SigningAlgorithm = 'ES256',
): Promise<JwtNode> {
  const { keys } = addSigningKey(firstKey(), algorithm);
  await publishKeys(keys, { store, by: OPERATOR });
  const keyring = new Keyring(keys);
  const node = await aNode(store, { clock, keyring });
  await changeIntegration(node, { accessTokenFormat: 'jwt' });
  const held = {
    node,
    keys: keys as readonly StoredKey[],
    exchange: (next: readonly StoredKey[]) => {
      held.keys = next;
      keyring.exchange(next);
    },
  };
  return held;
}

/** The parts of a JWT. */
export function partsOf(jwt: string): { header: string; claims: string; signature: string } {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  return { header, claims, signature };
}

export function claimsIn(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(partsOf(jwt).claims, 'base64url').toString()) as Record<string, unknown>;
}
