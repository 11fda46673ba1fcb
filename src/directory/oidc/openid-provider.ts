// An OpenID provider, by OpenID Connect Core 1.0 and RFC 9207. No other file knows the library.
import { readFileSync } from 'node:fs';
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { DirectoryAway } from '../../core/directory-away.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { download, type Fetch } from '../../outbound/download.ts';
import type { ProviderRequest } from '../directory.ts';

export interface OpenidSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?:
    | { readonly from: 'file'; readonly path: string }
    | { readonly from: 'variable'; readonly name: string }
    | undefined;
  /** PEM file; if absent, the public authorities. */
  readonly authorities?: string | undefined;
  /** Addresses and networks off the public internet that it may have. */
  readonly addresses: readonly string[];
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
}

export interface OpenidPorts {
  readonly fetch: Fetch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly milliseconds: () => number;
}

export type Claims = Readonly<Record<string, unknown>>;

export interface OpenidAnswer {
  /** Of the ID token, whose signature was checked. */
  readonly claims: Claims;
  /** What the provider adds to them. */
  readonly userInfo: () => Promise<Claims>;
}

const MOST_BYTES = 256 * 1024;
const METADATA_FOR_MS = 3_600_000;
/** A provider that did not answer is asked again after this: until then, people wait for nothing. */
const AWAY_FOR_MS = 5_000;
/** Sign-ins that wait for this provider at a time: each holds a slot that other callers need. */
const MOST_WAITING = 32;
/** By how much the clock of the provider may differ, in seconds. */
const SKEW = 60;

/** It takes a tenth of a second to load, so only those who use it wait for it. */
const library = () => import('openid-client');

export class OpenidProvider {
  readonly #settings: OpenidSettings;
  readonly #ports: OpenidPorts;
  #metadata: { readonly found: Promise<Configuration>; readonly until: number } | undefined;
  #waiting = 0;

  constructor(settings: OpenidSettings, ports: OpenidPorts) {
    this.#settings = settings;
    this.#ports = ports;
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
      ...(provenSince !== undefined && { max_age: '0' }),
    }).href;
  }

  /** A refusal is for the log. Whatever the provider or the browser sent, nobody has signed in then. */
  async redeem(response: URLSearchParams, asked: ProviderRequest): Promise<Outcome<OpenidAnswer, string>> {
    const configuration = await this.configuration();
    const { authorizationCodeGrant, fetchUserInfo } = await library();
    const { redirectUri, state, nonce, verifier, provenSince } = asked;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier.reveal() };
    return this.#waitFor(async () => {
      const answer = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${response}`), checks);
      const claims = answer.claims();
      if (!claims) return refused('there is no ID token');
      if (provenSince !== undefined && !(Number(claims.auth_time) >= provenSince - SKEW))
        return refused('the person was not asked to sign in again');
      const userInfo = () =>
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? Promise.resolve({})
          : fetchUserInfo(configuration, answer.access_token, claims.sub).catch(this.#away);
      return accept({ claims, userInfo });
    });
  }

  async signOutUrl(returnTo: string): Promise<string | undefined> {
    const configuration = await this.configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return (await library()).buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Its metadata. One request at a time, whoever asks; failures are kept for a moment. */
  configuration(): Promise<Configuration> {
    const now = this.#ports.milliseconds();
    if (this.#metadata && now < this.#metadata.until) return this.#metadata.found;
    const found = this.#discover();
    const kept = { found, until: now + METADATA_FOR_MS };
    this.#metadata = kept;
    found.catch(() => {
      if (this.#metadata === kept) this.#metadata = { found, until: this.#ports.milliseconds() + AWAY_FOR_MS };
    });
    return found;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#settings;
    const { customFetch, discovery, enableNonRepudiationChecks } = await library();
    const own = { [customFetch]: this.#fetch, execute: [enableNonRepudiationChecks] };
    const found = await discovery(new URL(issuer), clientId, {}, await this.#authentication(), own).catch(this.#away);
    const named = found.serverMetadata().issuer;
    if (named !== issuer) throw new DirectoryAway(`${issuer}: its metadata names the issuer ${named}`);
    return found;
  }

  /** Basic, which every server must support (RFC 6749 2.3.1), unless its metadata leaves it out. */
  async #authentication(): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await library();
    if (!this.#settings.clientSecret) return None();
    return (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
      return method(this.#secret())(server, client, body, headers);
    };
  }

  /** Read for every sign-in, so that it can be changed. */
  #secret(): string {
    const { clientSecret: source } = this.#settings;
    const text = source?.from === 'variable' ? this.#ports.environment[source.name] : readText(source?.path ?? '');
    if (!text?.trim()) throw new DirectoryAway(`${this.#settings.issuer}: the client secret cannot be read`);
    return text.trim();
  }

  async #waitFor<T>(work: () => Promise<Outcome<T, string>>): Promise<Outcome<T, string>> {
    if (this.#waiting >= MOST_WAITING) throw new DirectoryAway(`${this.#settings.issuer}: too many sign-ins wait`);
    this.#waiting += 1;
    try {
      return await work();
    } catch (fault) {
      if (causesOf(fault).some((cause) => cause instanceof DirectoryAway)) this.#away(fault);
      return refused(wordsOf(fault));
    } finally {
      this.#waiting -= 1;
    }
  }

  readonly #away = (fault: unknown): never => {
    throw new DirectoryAway(`${this.#settings.issuer}: ${wordsOf(fault)}`);
  };

  /** The service's own fetch, in the form of the library. A refusal by the provider (4xx) is an answer; anything else is an outage. */
  readonly #fetch = async (url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    const { timeoutMs: withinMs, authorities, addresses: allowed } = this.#settings;
    const seen = { status: 0, type: '' };
    const noting: Fetch = async (address, init) => {
      const fetched = await this.#ports.fetch(address, init);
      Object.assign(seen, { status: fetched.status, type: fetched.headers.get('content-type') ?? '' });
      return fetched;
    };
    const got = await download(noting, url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body !== undefined && body !== null && { body: new Uint8Array(Buffer.from(String(body))) }),
      ...{ maxBytes: MOST_BYTES, withinMs, allowed },
      ...(authorities !== undefined && { authorities: readText(authorities) }),
    });
    if (got.ok) return new Response(got.value, { status: 200, headers: { 'content-type': seen.type } });
    if (seen.status >= 400 && seen.status <= 499) return new Response(null, { status: seen.status });
    throw new DirectoryAway(`${new URL(url).origin}: ${got.refusal}`);
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    throw new DirectoryAway(`${path} cannot be read (${(fault as NodeJS.ErrnoException).code})`);
  }
}

function causesOf(fault: unknown): readonly unknown[] {
  return fault instanceof Error ? [fault, ...causesOf(fault.cause)] : [];
}

/** What the library says, and the status if that is the reason. Never what the provider wrote: it may repeat a secret. */
function wordsOf(fault: unknown): string {
  const { message, error, cause } = fault as { message: string; error?: unknown; cause?: unknown };
  const status = cause instanceof Response ? ` (HTTP ${cause.status})` : '';
  const named = typeof error === 'string' && /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
  const inner = causesOf(cause).find((each) => each instanceof DirectoryAway);
  return inner instanceof DirectoryAway ? inner.message : `${message}${status}${named}`;
}
