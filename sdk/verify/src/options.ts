// The options of a verifier, with defaults filled in.

export interface VerifierOptions {
  /** The public address of the service, exactly: `iss` of its tokens. */
  readonly issuer: string;
  /** This API, as the operator registered it: `tessera resource-server add`. */
  readonly resourceServer: ResourceServerOptions;
  /**
   * What to do while the service cannot be reached, once nothing has arrived from it for `maxStale` seconds:
   * - `refuse` (default): answer 503. Nobody gets in with a token that may have been revoked.
   * - `trust-until-expiry`: accept tokens that were valid when last checked, until they expire.
   */
  readonly onOutage?: 'refuse' | 'trust-until-expiry';
  /** Seconds. Default 30. */
  readonly maxStale?: number;
  /** For how many seconds an introspection is cached. An entry of the revocation feed ends it at once. Default 60. */
  readonly cacheFor?: number;
  /** The most answers kept at a time. Default 10,000. */
  readonly cacheSize?: number;
  /** Seconds by which clocks may differ when a JWT is checked. Default 5. */
  readonly clockTolerance?: number;
  /** Whether a token that is bound to a certificate (`cnf`) needs this certificate on the connection. Default true. */
  readonly checkBinding?: boolean;
  /** Certificates that the service's own certificate is checked by, as PEM. Default: what the machine trusts. */
  readonly ca?: string;
  /** Called for what an operator should know: the feed is away, it is back. Default: nothing. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
}

export interface ResourceServerOptions {
  readonly id: string;
  readonly secret: string;
  /** What `aud` of a JWT must name. */
  readonly audience: string;
}

export type Settings = Required<Omit<VerifierOptions, 'ca'>> & Pick<VerifierOptions, 'ca'>;

export function settingsOf(options: VerifierOptions): Settings {
  const { id, secret, audience } = options.resourceServer ?? {};
  if (!URL.canParse(options.issuer)) throw new TypeError('issuer must be the public address of the service');
  if (!id || !secret || !audience) throw new TypeError('resourceServer needs id, secret and audience');
  return {
    onOutage: 'refuse',
    maxStale: 30,
    cacheFor: 60,
    cacheSize: 10_000,
    clockTolerance: 5,
    checkBinding: true,
    onNotice: () => undefined,
    now: Date.now,
    ...options,
    issuer: options.issuer.replace(/\/$/, ''),
  };
}
