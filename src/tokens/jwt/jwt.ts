// JWT access tokens (RFC 9068): minted from the row, and read at our own doors.
import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { Grant } from '../../core/grant.ts';
import type { PublishedKey, SigningAlgorithm } from '../../core/signing-key.ts';
import { KeyMissing, type Keyring } from '../keyring.ts';
import { Secret } from '../secret.ts';
import type { SigningKey } from '../signing-key.ts';
import { claimsOf, type ReadClaims, readClaims } from './claims.ts';

export interface JwtPorts {
  readonly keyring: Keyring;
  readonly registry: {
    /** Those that are published. */
    readonly signingKeys: readonly PublishedKey[];
    /** The one of them that signs now. */
    readonly signingKey: PublishedKey | undefined;
  };
  readonly issuer: string;
}

/** The key that signs new tokens. Called before the commit: a node that lacks the key must not rotate. */
export function newTokenKey({ keyring, registry }: Pick<JwtPorts, 'keyring' | 'registry'>): SigningKey {
  const id = registry.signingKey?.id;
  const key = id === undefined ? undefined : keyring.signingKey(id);
  if (!key) throw new KeyMissing(id);
  return key;
}

/** Signs the claims of the row with the key that the row names, so that a retry gets the same token. */
export async function mintJwt(grant: Grant, ports: JwtPorts): Promise<Secret> {
  const named = grant.pair.jwt?.signingKey ?? '';
  // The key may have been removed since. Another one signs the same claims.
  const key = (isPublished(named, ports) && ports.keyring.signingKey(named)) || newTokenKey(ports);
  const claims = Buffer.from(claimsOf(grant, ports.issuer)).toString('base64url');
  return new Secret(await signText(`${key.header}.${claims}`, key));
}

/** The header must be byte for byte ours, so that no header of the caller chooses an algorithm or a key. */
export function readJwt(text: string, ports: JwtPorts): ReadClaims | undefined {
  const [header = '', claims = '', signature = '', ...more] = text.split('.', 4);
  const key = ports.keyring.signingKeys.find((candidate) => candidate.header === header);
  if (!key || more.length > 0 || !isPublished(key.id, ports)) return undefined;
  if (!isSignedBy(key, `${header}.${claims}`, signature)) return undefined;
  return readClaims(Buffer.from(claims, 'base64url').toString('utf8'), ports.issuer);
}

/** The key that a JWT names. Nothing is authentic yet. */
export function namedKeyOf(text: string, { signingKeys }: JwtPorts['registry']): string | undefined {
  const [header = ''] = text.split('.', 1);
  const json = Buffer.from(header, 'base64url').toString('utf8');
  return signingKeys.find(({ id }) => json.includes(`"${id}"`))?.id;
}

function isPublished(id: string, { registry }: Pick<JwtPorts, 'registry'>): boolean {
  return registry.signingKeys.some((key) => key.id === id);
}

interface Signer {
  readonly digest: 'sha256' | undefined;
  /** RFC 7518 3.4: the two numbers of an ECDSA signature side by side. */
  readonly encoding?: { readonly dsaEncoding: 'ieee-p1363' };
  /** So slow that it would hold up other requests: goes to a thread. */
  readonly isSlow: boolean;
}

const SIGNERS: Readonly<Record<SigningAlgorithm, Signer>> = {
  ES256: { digest: 'sha256', encoding: { dsaEncoding: 'ieee-p1363' }, isSlow: false },
  EdDSA: { digest: undefined, isSlow: false },
  RS256: { digest: 'sha256', isSlow: true },
};

const signOnThread = promisify(sign);

function signText(text: string, { algorithm, privateKey }: SigningKey): Promise<string> | string {
  const { digest, encoding, isSlow } = SIGNERS[algorithm];
  const [data, key] = [Buffer.from(text), { key: privateKey, ...encoding }];
  const join = (signature: Buffer) => `${text}.${signature.toString('base64url')}`;
  return isSlow ? signOnThread(digest, data, key).then(join) : join(sign(digest, data, key));
}

/** Whether the signature, in base64url, is one of this key over the text. */
function isSignedBy({ algorithm, publicKey }: SigningKey, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false; // Node decodes leniently
  const { digest, encoding } = SIGNERS[algorithm];
  return verify(digest, Buffer.from(text), { key: publicKey, ...encoding }, bytes);
}
