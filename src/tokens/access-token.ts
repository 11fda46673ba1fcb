// Access tokens in the format of their grant. This file has the only switches on the format.
import { type Grant, type GrantId, guestOf } from '../core/grant.ts';
import type { AccessTokenFormat } from '../core/integration.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type JwtPorts, mintJwt, readJwt } from './jwt/jwt.ts';
import { isAccessTokenOf, opaqueAccessToken } from './opaque/pair.ts';
import { parseAccessToken } from './opaque/token-text.ts';
import type { Secret } from './secret.ts';

/** It depends on the row and `root` alone (of the refresh tokens), so it can be minted again for a retry. */
export function mintAccessToken(grant: Grant, root: Buffer, ports: JwtPorts): Secret | Promise<Secret> {
  switch (grant.format) {
    case 'opaque':
      return opaqueAccessToken(grant, root, ports.keyring);
    case 'jwt':
      return mintJwt(grant, ports);
  }
}

/** An access token that was minted here. Whether it is still good depends on its grant. */
export interface ReadAccessToken {
  readonly grantId: GrantId;
  readonly generation: number;
  readonly expiresAt: EpochSeconds;
  /** Undefined if the token does not say. */
  readonly issuedAt?: EpochSeconds;
  /** Whom it is for. Undefined if the token does not say. */
  readonly audience?: readonly string[];
  /** Whether the row that `grantId` names agrees with what the token says of it. */
  isOf(grant: Grant): boolean;
}

export function readAccessToken(text: string, ports: JwtPorts): ReadAccessToken | undefined {
  switch (formatOf(text)) {
    case 'opaque':
      return readOpaque(text, ports);
    case 'jwt':
      return readSigned(text, ports);
  }
}

/** Whether minting this format needs a signing key. */
export function isSigned(format: AccessTokenFormat): boolean {
  return format === 'jwt';
}

/** A signed JWT begins with `{"` in base64url. */
function formatOf(text: string): AccessTokenFormat {
  return text.startsWith('eyJ') ? 'jwt' : 'opaque';
}

function readOpaque(text: string, { keyring }: JwtPorts): ReadAccessToken | undefined {
  const token = parseAccessToken(text, keyring);
  if (!token) return undefined;
  const { grantId, generation, expiresAt } = token;
  return { grantId, generation, expiresAt, isOf: (grant) => isAccessTokenOf(token, grant) };
}

function readSigned(text: string, ports: JwtPorts): ReadAccessToken | undefined {
  const claims = readJwt(text, ports);
  if (!claims) return undefined;
  const { grantId, generation, issuedAt, expiresAt, audience, identityId, clientId } = claims;
  const isOf = (grant: Grant) =>
    grant.format === 'jwt' && grant.identityId === identityId && (guestOf(grant) ?? grant.clientId) === clientId;
  return { grantId, generation, issuedAt, expiresAt, audience, isOf };
}
