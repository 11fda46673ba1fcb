// An OpenID provider, by OpenID Connect Core 1.0 and RFC 9207. No other file knows the library.
import { readFileSync } from 'node:fs';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { DirectoryAway } from '../../core/faults.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { PROVIDER_SKEW, whyNotProven } from '../../core/rules/sign-in.ts';
import { type EpochSeconds, epochSeconds, type Seconds } from '../../core/time.ts';
import { download, type Fetch } from '../../outbound/download.ts';
import type { ProviderRequest } from '../directory.ts';

export interface OpenidSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Reads the secret of the client, for every sign-in; undefined if it has none. */
  readonly readSecret?: (() => string) | undefined;
  /** PEM file; if absent, the public authorities. */
  readonly authorities?: string | undefined;
  /** Addresses and networks off the public internet that it may have. */
  readonly addresses: readonly string[];
  readonly scopes: readonly string[];
  /** An older session at the provider does not sign anybody in. */
  readonly maxAge: Seconds;
  readonly timeoutMs: number;
}

export type Claims = Readonly<Record<string, unknown>>;

export interface OpenidAnswer {
  /** Of the ID token, whose signature was checked. */
  readonly claims: Claims;
  readonly provenAt: EpochSeconds;
  /** What the provider adds to them. */
  readonly userInfo: () => Promise<Claims>;
}

const MOST_BYTES = 256 * 1024;
const METADATA_FOR_MS = 3_600_000;
/** A provider that did not answer is asked again after this: until then, people wait for nothing. */
const AWAY_FOR_MS = 5_000;

/** It takes a tenth of a second to load, so only those who use it wait for it. */
const library = () => import('openid-client');

export class OpenidProvider {
  readonly #settings: OpenidSettings;
  readonly #fetch: Fetch;
  readonly #now: () => number;
  #metadata: { readonly found: Promise<Configuration>; readonly until: number } | undefined;

  constructor(settings: OpenidSettings, fetch: Fetch, milliseconds: () => number) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#now = milliseconds;
  }

  async authorizationUrl({ redirectUri, state, nonce, verifier, provenSince }: ProviderRequest): Promise<string> {
    const configuration = await this.configuration();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier.reveal()),
      code_challenge_method: 'S256',
      // OpenID Connect Core 3.1.2.1: with max_age, the ID token has auth_time.
      ...(provenSince === undefined ? { max_age: String(this.#settings.maxAge) } : { max_age: '0', prompt: 'login' }),
    }).href;
  }

  /** A refusal is for the log. Whatever the provider or the browser sent, nobody has signed in then. */
  async redeem(response: URLSearchParams, asked: ProviderRequest): Promise<Outcome<OpenidAnswer, string>> {
    const configuration = await this.configuration();
    const { authorizationCodeGrant, fetchUserInfo } = await library();
    const { redirectUri, state, nonce, verifier, provenSince } = asked;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier.reveal() };
    const redeemed = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${response}`), checks).then(
      accept,
      (fault: unknown) => (isOutage(fault) ? this.#away(fault) : refused(wordsOf(fault))),
    );
    if (!redeemed.ok) return redeemed;
    const { value: answer } = redeemed;
    const claims = answer.claims();
    if (!claims) return refused('there is no ID token');
    const now = epochSeconds(this.#now() / 1000);
    const objection = whyNotProven(claims, provenSince ?? epochSeconds(now - this.#settings.maxAge), now);
    if (objection) return refused(objection);
    const provenAt = epochSeconds(claims.auth_time ?? 0);
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = () => fetchUserInfo(configuration, answer.access_token, claims.sub).catch(this.#away);
    return accept({ claims, provenAt, userInfo: hasMore ? more : async () => ({}) });
  }

  async signOutUrl(returnTo: string): Promise<string | undefined> {
    const configuration = await this.configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return (await library()).buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Its metadata. Callers share one request; failures are kept for a moment. */
  configuration(): Promise<Configuration> {
    if (this.#metadata && this.#now() < this.#metadata.until) return this.#metadata.found;
    const found = this.#discover();
    this.#metadata = { found, until: this.#now() + METADATA_FOR_MS };
    found.catch(() => {
      this.#metadata = { found, until: this.#now() + AWAY_FOR_MS };
    });
    return found;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#settings;
    const { clockTolerance, customFetch, discovery, enableNonRepudiationChecks } = await library();
    const own = { [customFetch]: this.#ask, execute: [enableNonRepudiationChecks] };
    const skew = { [clockTolerance]: PROVIDER_SKEW };
    const found = await discovery(new URL(issuer), clientId, skew, await this.#authentication(), own).catch(this.#away);
    const named = found.serverMetadata().issuer;
    if (named !== issuer) throw new DirectoryAway(`${issuer}: its metadata names the issuer ${named}`);
    return found;
  }

  /** Basic, which every server must support (RFC 6749 2.3.1), unless its metadata leaves it out. */
  async #authentication(): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await library();
    const { readSecret } = this.#settings;
    if (!readSecret) return None();
    return (server, ...request) => {
      const hasBasic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
      return (hasBasic ? ClientSecretBasic : ClientSecretPost)(readSecret())(server, ...request);
    };
  }

  readonly #away = (fault: unknown): never => {
    throw new DirectoryAway(`${this.#settings.issuer}: ${wordsOf(fault)}`);
  };

  /** The service's own fetch, in the form of the library. A refusal by the provider (4xx) is an answer; anything else is an outage. */
  readonly #ask: CustomFetch = async (url, { method, headers, body }) => {
    const { timeoutMs: withinMs, authorities, addresses: allowed } = this.#settings;
    let seen: Awaited<ReturnType<Fetch>> | undefined;
    const noting: Fetch = async (...request) => {
      seen = await this.#fetch(...request);
      return seen;
    };
    const got = await download(noting, url, {
      ...{ method: method === 'POST' ? 'POST' : 'GET', headers, maxBytes: MOST_BYTES, withinMs, allowed },
      ...(body instanceof URLSearchParams && { body: new Uint8Array(Buffer.from(body.toString())) }),
      ...(authorities !== undefined && { authorities: readFileSync(authorities, 'utf8') }),
    });
    const { status = 0, headers: sent } = seen ?? {};
    if (got.ok) return new Response(got.value, { headers: { 'content-type': sent?.get('content-type') ?? '' } });
    if (status >= 400 && status <= 499) return new Response(null, { status });
    throw new DirectoryAway(`${new URL(url).origin}: ${got.refusal}`);
  };
}

/** The library wraps what its fetch throws. */
function isOutage(fault: unknown): boolean {
  return fault instanceof DirectoryAway || (fault instanceof Error && isOutage(fault.cause));
}

/** What the library says, and the status if that is the reason. Never what the provider wrote: it may repeat a secret. */
function wordsOf(fault: unknown): string {
  const { message, cause } = fault as Error;
  if (isOutage(cause)) return wordsOf(cause);
  return cause instanceof Response ? `${message} (HTTP ${cause.status})` : message;
}
