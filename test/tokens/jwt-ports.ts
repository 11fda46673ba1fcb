// What minting and reading access tokens needs, with a keyring of which every signing key is published and the first signs.
import type { SigningAlgorithm } from '../../src/core/signing-key.ts';
import type { JwtPorts } from '../../src/tokens/jwt/jwt.ts';
import { addSigningKey, firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { publicMembers } from '../../src/tokens/signing-key.ts';
import { NOW } from '../samples.ts';

export const ISSUER = 'https://tokens.example';

export function portsWith(keyring: Keyring): JwtPorts {
  const signingKeys = keyring.signingKeys.map(({ id, algorithm, publicKey }, index) => ({
    id,
    algorithm,
    publicKey: publicMembers(publicKey),
    publishedAt: NOW,
    ...(index === 0 && { signsFrom: NOW }),
  }));
  return { keyring, registry: { signingKeys, signingKey: signingKeys[0] }, issuer: ISSUER };
}

export function keyringWith(...algorithms: readonly SigningAlgorithm[]): Keyring {
  const keys = algorithms.reduce((before, algorithm) => addSigningKey(before, algorithm).keys, [
    ...firstKey(),
  ] as Parameters<typeof addSigningKey>[0]);
  return new Keyring(keys);
}
