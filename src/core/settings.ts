import type { ClientDocuments } from './client-document.ts';
import type { AccessTokenFormat, Integration, OnReuse } from './integration.ts';
import { type Seconds, seconds } from './time.ts';

/** Which refreshes become events. `changes`: those by another presenter than the last one, or with another certificate. */
export const REFRESHES_LOGGED = ['all', 'changes', 'none'] as const;

const DAY = 86_400;

const USUAL = {
  accessTokenLifetime: seconds(90 * DAY),
  /** The same for grants of /oauth2, if it is shorter: its clients refresh by themselves, or ask again. */
  oauthTokenLifetime: seconds(3600),
  /** The same for access tokens in the format jwt, if it is shorter. */
  jwtLifetime: seconds(600),
  /** How long a signing key is published before it signs. */
  signingKeyPublishedFor: seconds(DAY),
  grantLifetime: seconds(365 * DAY),
  refresh: true,
  refreshRetryWindow: seconds(60),
  refreshSiblingWindow: seconds(0),
  onReuse: 'revoke' as OnReuse,
  deviceFlow: true,
  deviceCodeLifetime: seconds(300),
  pollInterval: seconds(5),
  wrongUserCodes: 5,
  failedSignInsPerDeviceCode: 5,
  /** Whether people may sign in with a password. */
  passwords: true,
  failedSignInsPerIdentity: 10,
  failedSignInsPerAddress: 100,
  signInWindow: seconds(15 * 60),
  /** How long a browser stays known after the person last signed in with it. */
  knownBrowserLifetime: seconds(90 * DAY),
  /** A browser session ends this long after it was last used. */
  sessionIdle: seconds(15 * 60),
  /** And this long after sign-in, even if it is used. */
  sessionLifetime: seconds(8 * 3600),
  eventRetention: seconds(400 * DAY),
  refreshesLogged: 'all' as (typeof REFRESHES_LOGGED)[number],
};

/** The settings that rules depend on. Settings for processes, files and sockets are in src/config. */
export interface Settings extends Readonly<typeof USUAL> {
  /** If set, access tokens of older generations expire this long after a refresh. */
  readonly accessTokenOverlap?: Seconds;
  /** Absent: only registered integrations are clients. */
  readonly clientDocuments?: ClientDocuments;
}

export const DEFAULT_SETTINGS: Settings = USUAL;

/** A resource server that checks a JWT by itself does not notice a revocation, so a JWT lives for a day at most. */
export const JWT_LIFETIME_MAX = seconds(DAY);

/** Of generated secrets of integrations. */
export const SECRET_LIFETIME_MAX = seconds(180 * DAY);

/** Of any token or grant: a hundred years. Beyond, moments could not be written as dates. */
export const LIFETIME_MAX = seconds(36_525 * DAY);

/** The longest lifetimes of grants and tokens for the admin door. */
export const ADMINISTRATION = { accessTokenLifetime: seconds(3600), grantLifetime: seconds(12 * 3600) };

/** Of grants that are made at /oauth2 alone: its own lifetime applies to them. */
interface Issued {
  readonly format?: AccessTokenFormat | undefined;
  readonly isOfOauth?: boolean;
}

/** The server's settings as one integration overrides them, for the grants of a format and of a door. */
export function settingsFor(
  { overrides, accessTokenFormat }: Pick<Integration, 'overrides' | 'accessTokenFormat'>,
  settings: Settings,
  { format = accessTokenFormat, isOfOauth = false }: Issued = {},
): Settings {
  const own = Object.keys(overrides).length === 0 ? settings : { ...settings, ...overrides };
  const isJwt = format === 'jwt';
  if (!isJwt && !isOfOauth) return own;
  const limits = [...(isJwt ? [own.jwtLifetime] : []), ...(isOfOauth ? [own.oauthTokenLifetime] : [])];
  const lifetime = overrides.accessTokenLifetime ?? Math.min(own.accessTokenLifetime, ...limits);
  return { ...own, accessTokenLifetime: seconds(isJwt ? Math.min(lifetime, JWT_LIFETIME_MAX) : lifetime) };
}
