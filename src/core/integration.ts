import type { IdentityId } from './identity.ts';
import type { Scope } from './scope.ts';
import type { Seconds } from './time.ts';

/** A registered API integration: it fixes the scope that its tokens may carry (contract 1.6). */
export interface Integration {
  readonly clientId: ClientId;
  readonly name: string;
  readonly description: string;
  readonly vendor: string;
  readonly scope: Scope;
  readonly enabled: boolean;
  /** Removed for good: only ended grants and events name it still. Its client id may be registered again. */
  readonly removed?: true;
  /** How callers may authorize. `assertion`: by an assertion of a token issuer; off if absent. */
  readonly flows: {
    readonly device: boolean;
    readonly certificate: boolean;
    readonly assertion?: boolean;
    /** By authorization code; off if absent. In here, so that releases without it keep it when they write the row. */
    readonly code?: CodeFlow | false;
  };
  readonly access: Access;
  readonly binding: Binding;
  readonly accessTokenFormat: AccessTokenFormat;
  /** What this integration sets differently from the server. */
  readonly overrides: TokenOverrides;
}

export interface CodeFlow {
  /** None: for clients with a document only, which lists theirs. */
  readonly redirectUris: readonly string[];
}

/** Who may use an integration. */
export type Access =
  | { readonly to: 'everyone' }
  | { readonly to: 'named'; readonly identities: readonly IdentityId[]; readonly groups: readonly string[] };

/** Whether a refresh must come with a certificate: none, one of the same identity and issuer, or one with the same key. */
export type Binding = 'none' | 'identity' | 'certificate';

/** The order is stored: a grant's row has the index of its format. */
export const ACCESS_TOKEN_FORMATS = ['opaque', 'jwt'] as const;
export type AccessTokenFormat = (typeof ACCESS_TOKEN_FORMATS)[number];

export interface TokenOverrides {
  readonly accessTokenLifetime?: Seconds;
  readonly grantLifetime?: Seconds;
  readonly refresh?: boolean;
  readonly refreshRetryWindow?: Seconds;
  readonly onReuse?: OnReuse;
}

/** What the reuse of a spent refresh token does: ends the grant, or only writes an event (for fleets that migrate). */
export type OnReuse = 'revoke' | 'report';

export type ClientId = string & { readonly is: 'client id' };

const CLIENT_ID = /^[\u0021-\u007e]{1,128}$/;

/** Anything but 1–128 visible ASCII characters is an unknown integration and never reaches the store. */
export function parseClientId(text: string): ClientId | undefined {
  return CLIENT_ID.test(text) ? (text as ClientId) : undefined;
}
