// Access tokens in the format of their grant. This file has the only two switches on the format: minting and reading.
import type { Grant, GrantId } from '../core/grant.ts';
import type { AccessTokenFormat } from '../core/integration.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Keyring } from './keyring.ts';
import { isAccessTokenOf, opaqueAccessToken } from './opaque/pair.ts';
import { parseAccessToken } from './opaque/token-text.ts';
import type { Secret } from './secret.ts';

/** Formats that this release mints. An integration cannot be set to another one. */
const MINTED: readonly AccessTokenFormat[] = ['opaque'];

export function canMint(format: AccessTokenFormat): boolean {
  return MINTED.includes(format);
}

/**
 * The access token of the row's current generation. It depends on nothing but the row and `root` (which is in the grant's
 * refresh tokens, never in the store), so it can be minted after the commit and again for a retry.
 */
export function mintAccessToken(grant: Grant, root: Buffer, keyring: Keyring): Secret {
  switch (grant.format) {
    case 'opaque':
      return opaqueAccessToken(grant, root, keyring);
    case 'jwt':
      throw new Error(`grant ${grant.id} has access tokens in the format jwt, which this release does not mint`);
  }
}

/** An access token that was minted here. Whether it is still good depends on its grant. */
export interface ReadAccessToken {
  readonly grantId: GrantId;
  readonly generation: number;
  readonly expiresAt: EpochSeconds;
  /** Whether the row that `grantId` names agrees with what the token says of it. */
  isOf(grant: Grant): boolean;
}

/** Undefined where the text was not minted here. */
export function readAccessToken(text: string, keyring: Keyring): ReadAccessToken | undefined {
  switch (formatOf(text)) {
    case 'opaque':
      return readOpaque(text, keyring);
    case 'jwt':
      return undefined; // none has been minted
  }
}

/** A signed JWT begins with `{"` in base64url. */
function formatOf(text: string): AccessTokenFormat {
  return text.startsWith('eyJ') ? 'jwt' : 'opaque';
}

function readOpaque(text: string, keyring: Keyring): ReadAccessToken | undefined {
  const token = parseAccessToken(text, keyring);
  if (!token) return undefined;
  const { grantId, generation, expiresAt } = token;
  return { grantId, generation, expiresAt, isOf: (grant) => isAccessTokenOf(token, grant) };
}
