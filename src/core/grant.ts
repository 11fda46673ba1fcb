import type { CertificateMark } from './certificate.ts';
import type { ClientUrl } from './client-document.ts';
import type { Hex } from './hex.ts';
import type { IdentityId } from './identity.ts';
import type { AccessTokenFormat, ClientId } from './integration.ts';
import type { StrongProof } from './person.ts';
import type { Presenter } from './presenter.ts';
import type { Audience } from './resource-server.ts';
import { concernsAdministration } from './scope.ts';
import { ADMINISTRATION, type Settings } from './settings.ts';
import { after, type EpochSeconds, earlier, epochSeconds, later, type Seconds, seconds } from './time.ts';

/** 16 bytes as 32 hex digits, beginning with the time of creation, so that rows are stored in order. */
export type GrantId = string & { readonly is: 'grant id' };

/** The durable authorization: one row, however often it is refreshed. It holds hashes of secrets, never a token. */
export interface Grant {
  readonly id: GrantId;
  readonly clientId: ClientId;
  readonly identityId: IdentityId;
  readonly scope: string;
  /** The audiences that the grant is limited to (RFC 8707), sorted. Absent: not limited. */
  readonly resource?: readonly Audience[];
  readonly origin: Origin;
  readonly createdAt: EpochSeconds;
  /** The grant ends here; it never moves. */
  readonly refreshUntil: EpochSeconds;
  /** Of its access tokens, fixed when the grant is issued. */
  readonly format: AccessTokenFormat;
  readonly accessHash: Hex;
  /** Newest first. Absent: no access token was ever bound to a certificate (RFC 8705 3.1). */
  readonly bindings?: readonly Binding[];
  readonly refreshable: boolean;
  readonly terms?: Terms;
  readonly pair: Pair;
  readonly siblings?: Siblings;
  readonly revoked?: { readonly at: EpochSeconds; readonly reason: RevocationReason };
}

/** What a grant depends on besides its row. A release that does not know them accepts no token of it: tables/grants.ts. */
export interface Terms {
  /** The key of its DPoP proofs: RFC 7638 thumbprint in base64url (RFC 9449 6). */
  readonly jkt?: string;
  /** The access token that it was exchanged for (RFC 8693): it ends with that. */
  readonly parent?: { readonly grantId: GrantId; readonly generation: number };
  /** Who exchanged it, and before that who had exchanged the parent (RFC 8693 4.1). */
  readonly actor?: Actor;
}

export interface Actor {
  readonly identityId: IdentityId;
  readonly clientId: ClientId;
  readonly actor?: Actor;
}

/** What access tokens are bound to, from a generation on: a certificate may be renewed while its tokens live. */
export interface Binding {
  readonly since: number;
  /** SHA-256 of the DER of the certificate. Absent: not bound. */
  readonly thumbprint?: Hex;
}

/** Keeps the row small. */
const MOST_BINDINGS = 8;

export type RevokedGrant = Grant & Required<Pick<Grant, 'revoked'>>;

export type Origin =
  | { readonly kind: 'device' }
  /** `guest`: the address of the client's document, if it has one. `withKey`: it authenticated. `proof`: a strong one, not kept for guests. */
  | { readonly kind: 'code'; readonly guest?: ClientUrl; readonly withKey?: true; readonly proof?: StrongProof }
  | { readonly kind: 'certificate'; readonly certificate: CertificateMark }
  | { readonly kind: 'assertion'; readonly assertion: AssertionMark }
  /** The integration itself, which authenticated so. */
  | { readonly kind: 'client'; readonly proof: 'key' | 'secret' }
  /** Of an access token (RFC 8693). */
  | { readonly kind: 'exchange' };

/** Grants that /authsvc makes too; /oauth2 alone makes the others. */
export function isOfContract({ kind }: Origin): boolean {
  return kind === 'device' || kind === 'certificate';
}

/** The guest of the integration that a grant was issued to. Its tokens are good with that client_id alone. */
export function guestOf({ origin }: Pick<Grant, 'origin'>): ClientUrl | undefined {
  return origin.kind === 'code' ? origin.guest : undefined;
}

/** Whether a guest has authenticated for the grant: then it must for every refresh and revocation, whatever its document says later. */
export function authenticatedGuest({ origin }: Pick<Grant, 'origin'>): boolean {
  return origin.kind === 'code' && origin.withKey === true;
}

export interface AssertionMark {
  readonly tokenIssuer: string;
  /** First 16 bytes of SHA-256 over `iss`, a zero byte and `sub`. */
  readonly subject: Hex;
}

/** The current generation: all that a refresh changes. */
export interface Pair {
  readonly generation: number;
  /** The key that derived and tagged this pair; a retry uses it again. */
  readonly keyId: number;
  readonly refreshHash: Hex;
  /** Drawn by the rotation that made this pair; zeros in generation 0. */
  readonly nonce: Hex;
  readonly issuedAt: EpochSeconds;
  /** When the access token of this generation expires. */
  readonly expiresAt: EpochSeconds;
  readonly presenter: Presenter;
  /** What else the access token of this generation is made from; a retry makes the same one. Absent unless it is a JWT. */
  readonly jwt?: { readonly audience: readonly string[]; readonly signingKey: string };
}

/** What refreshes note where several programs may use one login. Absent: nothing to note. */
export interface Siblings {
  /** Two stretches of generations, by which it is known when one was superseded. Absent without a window for siblings. */
  readonly marks?: {
    readonly since: number;
    readonly at: EpochSeconds;
    /** `until`: when the last of its generations was made. */
    readonly before: { readonly since: number; readonly until: EpochSeconds };
  };
  /** From the first use of a spent token by another program on: who used the login, with at most one entry each. */
  readonly programs?: readonly Program[];
}

export interface Program {
  readonly since: EpochSeconds;
  readonly presenter: Presenter;
}

export const REVOCATION_REASONS = [
  'by-caller',
  'by-holder',
  'by-operator',
  'reuse',
  'rolled-back-store',
  'certificate-revoked',
  'restored',
  'account-ended',
] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

export type GrantState = 'live' | 'expired' | 'revoked';

/** Contract 3: revoked is final; a grant works while now < refreshUntil. */
export function grantState(grant: Grant, now: EpochSeconds): GrantState {
  if (grant.revoked) return 'revoked';
  return now < grant.refreshUntil ? 'live' : 'expired';
}

/** Whether nothing came of it: its first refresh token was not used while its access token worked. Perhaps the answer was lost. */
export function isUnused({ refreshable, pair }: Grant, now: EpochSeconds): boolean {
  return refreshable && pair.generation === 0 && now >= pair.expiresAt;
}

/** Per row, time never runs backwards, whatever the clocks of several nodes say. */
export function grantTime(grant: Grant, now: EpochSeconds): EpochSeconds {
  return later(now, grant.pair.issuedAt);
}

/** The lifetimes of a new grant. Without refresh the grant ends with its only access token. */
export function grantPeriod(
  now: EpochSeconds,
  scope: string,
  settings: Settings,
): { refreshUntil: EpochSeconds; expiresAt: EpochSeconds } {
  const { grantLifetime, accessTokenLifetime } = lifetimesFor(scope, settings);
  const grantEnd = after(now, grantLifetime);
  const expiresAt = expiryOf(now, accessTokenLifetime, grantEnd);
  return { expiresAt, refreshUntil: settings.refresh ? grantEnd : expiresAt };
}

type Lifetimes = Pick<Settings, 'grantLifetime' | 'accessTokenLifetime'>;

/** Power over this service is granted for hours, whatever the settings say. */
function lifetimesFor(scope: string, settings: Lifetimes): Lifetimes {
  if (!concernsAdministration(scope)) return settings;
  const capped = (what: keyof Lifetimes) => seconds(Math.min(settings[what], ADMINISTRATION[what]));
  return { grantLifetime: capped('grantLifetime'), accessTokenLifetime: capped('accessTokenLifetime') };
}

/** `expires` = min(now + lifetime, refresh_until). */
export function accessTokenExpiry(grant: Grant, now: EpochSeconds, settings: Settings): EpochSeconds {
  return expiryOf(now, lifetimesFor(grant.scope, settings).accessTokenLifetime, grant.refreshUntil);
}

/** An opaque token has 32 bits for it, which end in 2106. */
const LAST_EXPIRY = epochSeconds(2 ** 32 - 1);

function expiryOf(now: EpochSeconds, lifetime: Seconds, grantEnd: EpochSeconds): EpochSeconds {
  return earlier(earlier(after(now, lifetime), grantEnd), LAST_EXPIRY);
}

/** An earlier opaque token carries only its expiry: the time of issue is computed back with today's lifetime. */
export function accessTokenIssuedAt(
  token: { generation: number; expiresAt: EpochSeconds; issuedAt?: EpochSeconds },
  grant: Grant,
  settings: Settings,
): EpochSeconds {
  if (token.issuedAt !== undefined) return token.issuedAt;
  if (token.generation === grant.pair.generation) return grant.pair.issuedAt;
  const { accessTokenLifetime } = lifetimesFor(grant.scope, settings);
  return later(grant.createdAt, after(token.expiresAt, seconds(0 - accessTokenLifetime)));
}

/** What the access token of one generation is bound to. Undefined if this was forgotten, after many renewals. */
export function bindingOf({ bindings = UNBOUND }: Pick<Grant, 'bindings'>, generation: number): Binding | undefined {
  return bindings.find(({ since }) => generation >= since);
}

/** After a new generation was bound to a certificate, or to none. */
export function boundAnew({ bindings = UNBOUND, pair }: Grant, thumbprint: Hex | undefined): readonly Binding[] {
  if (bindings[0]?.thumbprint === thumbprint) return bindings;
  return [{ since: pair.generation + 1, ...(thumbprint && { thumbprint }) }, ...bindings].slice(0, MOST_BINDINGS);
}

const UNBOUND: readonly Binding[] = [{ since: 0 }];

/** The `jti` of the access token of one generation. */
export function tokenId({ id }: Pick<Grant, 'id'>, generation: number): string {
  return `${id}.${generation}`;
}

export function revoke(grant: Grant, now: EpochSeconds, reason: RevocationReason): RevokedGrant {
  return { ...grant, revoked: grant.revoked ?? { at: grantTime(grant, now), reason } };
}

/** RFC 8693 4.1. */
export function actClaim({ identityId, clientId, actor }: Actor): ActClaim {
  return { sub: identityId, client_id: clientId, ...(actor && { act: actClaim(actor) }) };
}

export interface ActClaim {
  readonly sub: string;
  readonly client_id: string;
  readonly act?: ActClaim;
}
