import type { IdentityId } from './identity.ts';
import type { KeySource } from './key-source.ts';
import type { ResourceServerId, SecretMark } from './resource-server.ts';
import type { Scope } from './scope.ts';
import type { EpochSeconds, Seconds } from './time.ts';

/** A registered API integration: it fixes the scope that its tokens may carry (contract 1.1). */
export interface Integration {
  readonly clientId: ClientId;
  readonly name: string;
  readonly description: string;
  readonly vendor: string;
  readonly scope: Scope;
  readonly enabled: boolean;
  /** Whether a client id alone proves too little. It is registered, not concluded: without a key or secret, nobody authenticates. */
  readonly confidential: boolean;
  /** Absent: an operator has disabled it, if it is not enabled. */
  readonly disabledByOwner?: true;
  /** Removed for good: only ended grants and events name it still. Its client id may be registered again. */
  readonly removed?: true;
  /** How often its client id was registered, if more than once. */
  readonly registration?: number;
  /** How callers may authorize. `assertion`: by an assertion of a token issuer; `secret`: by a generated secret. Off if absent. */
  readonly flows: {
    readonly device: boolean;
    readonly certificate: boolean;
    readonly assertion?: boolean;
    readonly secret?: boolean;
    /** By authorization code; off if absent. In here, so that releases without it keep it when they write the row. */
    readonly code?: CodeFlow | false;
  };
  readonly access: Access;
  readonly binding: Binding;
  readonly accessTokenFormat: AccessTokenFormat;
  /** Groups whose members look after it over the admin door. */
  readonly owners?: readonly string[];
  /** What this integration sets differently from the server. */
  readonly overrides: TokenOverrides;
  /** The public keys that it authenticates with (private_key_jwt). */
  readonly keys?: ClientKeys;
  /** Whether `aud` of its client assertions may be the token endpoint. */
  readonly tokenEndpointAudience?: boolean;
  /** At most two; the newest is last. */
  readonly secrets?: readonly ClientSecret[];
  /** The only addresses and networks (CIDR) from which a secret is accepted. None: any. */
  readonly secretAddresses?: readonly string[];
  /** Whether callers that did not authenticate may present an assertion of an enterprise (ID-JAG). */
  readonly publicEnterprise?: boolean;
  /** The resource server that it runs: what it may exchange tokens of (RFC 8693). */
  readonly resourceServer?: ResourceServerId;
  /** Who may exchange its tokens, and for which scope. */
  readonly exchange?: readonly ExchangeEntry[];
}

export type ClientKeys = Exclude<KeySource, { readonly from: 'discovery' }>;

export interface ClientSecret extends SecretMark {
  readonly endsAt: EpochSeconds;
}

export interface ExchangeEntry {
  readonly integration: ClientId;
  readonly scope: string;
}

/** Whether it has what callers authenticate with, or had it, or will: such an integration is confidential. */
export function hasProofs({ keys, flows, secrets = [] }: Pick<Integration, 'keys' | 'flows' | 'secrets'>): boolean {
  return keys !== undefined || flows.secret === true || secrets.length > 0;
}

export interface CodeFlow {
  /** None: for clients with a document only, which lists theirs. */
  readonly redirectUris: readonly string[];
}

export type Access =
  | { readonly to: 'everyone' }
  | { readonly to: 'named'; readonly identities: readonly IdentityId[]; readonly groups: readonly string[] };

/** What a refresh needs: nothing, a certificate of the same identity and issuer, one with the same key, or DPoP. */
export const BINDINGS = ['none', 'identity', 'certificate', 'dpop'] as const;
export type Binding = (typeof BINDINGS)[number];

/** The order is stored: a grant's row has the index of its format. */
export const ACCESS_TOKEN_FORMATS = ['opaque', 'jwt'] as const;
export type AccessTokenFormat = (typeof ACCESS_TOKEN_FORMATS)[number];

export interface TokenOverrides {
  readonly accessTokenLifetime?: Seconds;
  readonly grantLifetime?: Seconds;
  readonly refresh?: boolean;
  readonly refreshRetryWindow?: Seconds;
  readonly refreshSiblingWindow?: Seconds;
  readonly onReuse?: OnReuse;
}

/** What the reuse of a spent refresh token does: ends the grant, or only writes an event (for fleets that migrate). */
export type OnReuse = 'revoke' | 'report';

export type ClientId = string & { readonly is: 'client id' };

/** The integration of `tessera login` for operators, which every installation has. */
export const COMMAND_LINE = 'tessera-cli' as ClientId;

export const CLIENT_ID = /^[\u0021-\u007e]{1,128}$/;

/** Anything but 1–128 visible ASCII characters is an unknown integration and never reaches the store. */
export function parseClientId(text: string): ClientId | undefined {
  return CLIENT_ID.test(text) ? (text as ClientId) : undefined;
}

interface NamedKey {
  readonly kid?: string;
  /** RFC 7638: another key may have the same kid. */
  readonly thumbprint?: string;
}

function keysIn(set: string): readonly NamedKey[] {
  return (JSON.parse(set) as { readonly keys: readonly NamedKey[] }).keys;
}

/** The names of its keys: their ids, or the address that they are fetched from. */
export function keyNames(keys: ClientKeys | undefined): readonly string[] {
  if (!keys) return [];
  return keys.from === 'url' ? [keys.url] : keysIn(keys.set).map(({ kid = '' }) => kid);
}

/** What identifies its keys in acts: their thumbprints, or the address that they are fetched from. `name`: only of this one. */
export function keyMarks(keys: ClientKeys | undefined, name?: string): readonly string[] {
  if (keys?.from !== 'file') return keyNames(keys).filter((each) => name === undefined || each === name);
  const named = keysIn(keys.set).filter(({ kid }) => name === undefined || kid === name);
  return named.map(markOf);
}

function markOf({ kid = '', thumbprint = kid }: NamedKey): string {
  return thumbprint;
}

export function withoutKeys(integration: Integration, marks: readonly string[]): Integration {
  const { keys, ...rest } = integration;
  if (!keyMarks(keys).some((mark) => marks.includes(mark)) || !keys) return integration;
  const left = keys.from === 'url' ? [] : keysIn(keys.set).filter((key) => !marks.includes(markOf(key)));
  return left.length === 0 ? rest : { ...rest, keys: { from: 'file', set: JSON.stringify({ keys: left }) } };
}
