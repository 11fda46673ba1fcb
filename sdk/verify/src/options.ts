// The options of a verifier, with defaults filled in.

export interface VerifierOptions {
  /** The public address of the service, exactly: `iss` of its tokens. Over https, except on this machine. */
  readonly issuer: string | undefined;
  /** This API, as the operator registered it: `tessera resource-server add`. */
  readonly resourceServer: ResourceServerOptions;
  /**
   * What to do while the service cannot be reached, once the feed has not been complete for `maxStale` seconds:
   * - `refuse` (default): answer 503. Nobody gets in with a token that may have been revoked.
   * - `trust-until-expiry`: accept tokens that were valid when last checked, until they expire.
   */
  readonly onOutage?: 'refuse' | 'trust-until-expiry' | undefined;
  /** Seconds. Default 30. */
  readonly maxStale?: number | undefined;
  /**
   * What to do with a JWT while the feed is not fresh. An opaque token is asked about in any case.
   * - `introspect` (default): ask the service, and only without an answer count the last news, for `maxStale` seconds.
   * - `refuse`: count the last news for `maxStale` seconds, then answer 503.
   */
  readonly whenStale?: 'introspect' | 'refuse' | undefined;
  /** For how many seconds an introspection is cached. An entry of the revocation feed ends it at once. Default 60. */
  readonly cacheFor?: number | undefined;
  /** The most answers kept at a time, and the most JWTs whose signature was checked. Default 10,000. */
  readonly cacheSize?: number | undefined;
  /** Seconds by which clocks may differ when a JWT is checked. Default 5. */
  readonly clockTolerance?: number | undefined;
  /** Whether a token that is bound to a certificate (`cnf`) needs this certificate on the connection. Default true. */
  readonly checkBinding?: boolean | undefined;
  /**
   * The address of this API as callers write it, such as `https://orders.example.com`, which DPoP proofs name. Default: that of
   * `audience`, if it is an https address; otherwise tokens that are bound to a key are refused.
   */
  readonly origin?: string | undefined;
  /** Certificates that the service's own certificate is checked by: PEM text, not a path. Default: what the machine trusts. */
  readonly ca?: string | undefined;
  /** Called for what an operator should know: the feed is away, it is back, DPoP proofs are many. Default: a warning of the process. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Milliseconds since 1970. For tests. */
  readonly now?: (() => number) | undefined;
}

/** All three are required. They may be taken from `process.env` as they are: one that is missing is named when the API starts. */
export interface ResourceServerOptions {
  /** As in `tessera resource-server add ID`. */
  readonly id: string | undefined;
  /** What `tessera resource-server secret ID` printed: `tsc_…`. */
  readonly secret: string | undefined;
  /** What `aud` of a JWT must name: `--audience` of `tessera resource-server add`. */
  readonly audience: string | undefined;
}

type Given<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** The options, checked. */
export type Settings = Given<Omit<VerifierOptions, 'ca' | 'origin' | 'resourceServer'>> & {
  readonly resourceServer: Given<ResourceServerOptions>;
  readonly ca?: string | undefined;
  readonly origin?: string | undefined;
  /** Milliseconds of a clock that is never set. */
  readonly ticks: () => number;
};

const DEFAULTS = {
  onOutage: 'refuse',
  maxStale: 30,
  whenStale: 'introspect',
  cacheFor: 60,
  cacheSize: 10_000,
  clockTolerance: 5,
  checkBinding: true,
  onNotice: (notice: string) => process.emitWarning(notice, 'TesseraWarning'),
  now: Date.now,
} as const;

/** Throws a TypeError that names the option. An option that is undefined has its default. */
export function settingsOf(options: VerifierOptions): Settings {
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
  const issuer = checkIssuer(options?.issuer);
  const resourceServer = checkResourceServer(options.resourceServer);
  const ticks = options.now ?? (() => performance.now());
  const origin = originOf(resourceServer.audience);
  const settings = { ...DEFAULTS, origin, ...given, issuer, resourceServer, ticks } as Settings;
  for (const [name, [isGood, must]] of Object.entries(RULES))
    if (!isGood(settings[name as keyof Settings])) throw new TypeError(`${name} must be ${must}`);
  return settings;
}

/** The API's own function may throw: what calls it goes on. */
export function notify({ onNotice }: Pick<Settings, 'onNotice'>, notice: string): void {
  try {
    onNotice(notice);
  } catch {}
}

type Rule = readonly [isGood: (value: unknown) => boolean, must: string];

const isSeconds = (value: unknown) => Number.isFinite(value) && (value as number) >= 0;
const SECONDS: Rule = [isSeconds, 'a number of seconds'];
const FUNCTION: Rule = [(value) => typeof value === 'function', 'a function'];
const isPem = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----'));

const isOrigin = (value: unknown) =>
  value === undefined || (typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value);

function originOf(audience: string): string | undefined {
  return audience.startsWith('https://') && URL.canParse(audience) ? new URL(audience).origin : undefined;
}

const RULES: Readonly<Record<string, Rule>> = {
  onOutage: [(value) => value === 'refuse' || value === 'trust-until-expiry', "'refuse' or 'trust-until-expiry'"],
  maxStale: SECONDS,
  whenStale: [(value) => value === 'introspect' || value === 'refuse', "'introspect' or 'refuse'"],
  cacheFor: SECONDS,
  cacheSize: [(value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number'],
  clockTolerance: SECONDS,
  checkBinding: [(value) => typeof value === 'boolean', 'true or false'],
  origin: [isOrigin, 'an address without a path, such as https://orders.example.com'],
  ca: [isPem, 'the text of a PEM file, not its path'],
  onNotice: FUNCTION,
  now: FUNCTION,
};

function checkIssuer(issuer: string | undefined): string {
  if (isSafeAddress(issuer)) return issuer.replace(/\/$/, '');
  throw new TypeError('issuer must be the public address of the service, such as https://tokens.example.com');
}

/** The secret and tokens travel over TLS only, except on this machine. */
export function isSafeAddress(address: unknown): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

function checkResourceServer(given: ResourceServerOptions | undefined): Settings['resourceServer'] {
  const { id, secret, audience } = given ?? ({} as Partial<ResourceServerOptions>);
  for (const [name, value] of Object.entries({ id, secret, audience })) {
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`resourceServer.${name} is missing: resourceServer needs id, secret and audience`);
    if (/\s/.test(value)) throw new TypeError(`resourceServer.${name} contains white space. Trim it`);
  }
  return { id, secret, audience } as Settings['resourceServer'];
}
