// The guard of an API: `require` as middleware, `check` for anything else.
import { setTimeout as sleep } from 'node:timers/promises';
import { awaited } from './awaited.ts';
import { whyNotBound } from './binding.ts';
import { type Allowed, type Checked, type CheckOptions, checkClaims, type Parts } from './check.ts';
import { DpopProofs } from './dpop.ts';
import { Feed } from './feed.ts';
import { callOf, fetchCall, type Middleware, refuseCall, type SentCall } from './frameworks.ts';
import { Introspection } from './introspection.ts';
import { Jwts } from './jwt.ts';
import { settingsOf, type VerifierOptions } from './options.ts';
import type { Load } from './proof-memory.ts';
import { type Answer, answerTo, type Refusal, refuse } from './refusal.ts';
import { type McpAuth, mcpAuth, ResourceMetadata } from './resource-metadata.ts';
import { isBareWithin, Revocations } from './revocations.ts';
import { Service } from './service.ts';

export interface Guard {
  /**
   * Lets a call through if its token is good and has all these permissions, such as `orders:read`; otherwise answers 401, 403 or
   * 503. A resource alone (`orders`) means any permission on it; no permission at all means any good token.
   */
  require(...permissions: string[]): Middleware;
  /**
   * Answers requests for the metadata of this API (RFC 9728), and lets all others through. From then on, refusals name the document.
   * The audience must be the address of this API.
   */
  readonly metadata: Middleware;
  /**
   * Protects a server of the official MCP packages, with its metadata: as middleware of Express or node:http, before everything else.
   * Sets `request.auth`, which these packages hand to the tools.
   */
  mcp(...permissions: string[]): Middleware;
  /** The same for a handler of web-standard requests, such as that of `createMcpHandler`. */
  mcpFetch(handler: McpHandler, ...permissions: string[]): (request: Request) => Promise<Response>;
  /** Who calls, in a request that `require` let through: the request of express, fastify or node:http, or the context of hono. */
  caller(request: object): Allowed;
  /** Checks a token, without `Bearer`. The result's `scope` says what it allows: compare it with what the call needs. */
  check(token: string | undefined, options?: CheckOptions): Promise<Checked>;
  /**
   * Checks a call that something else has received, such as a proxy: as `require`, with the scheme of `authorization` and the proof
   * of a bound token. A refusal names the permissions that are needed.
   */
  checkCall(call: SentCall, ...permissions: string[]): Promise<Checked>;
  /** Whether revocations are known up to now. While they are not, the service is asked about each token. */
  readonly isFresh: boolean;
  /** Whether they were known `maxStale` ago: until then, the last news count. */
  readonly wasFresh: boolean;
  /** How many DPoP proofs this process remembers, and the most. Above four fifths, the keys with most are refused: for a metric. */
  readonly proofs: Load;
  /** Ends the connections to the service. From then on, a check that needs the service finds it unavailable. */
  close(): void;
}

/** What `createMcpHandler` of `@modelcontextprotocol/server` returns. */
export interface McpHandler {
  fetch(request: Request, options: { authInfo: McpAuth }): Response | Promise<Response>;
}

/** How long the start of the feed is waited for. A service that is away then does not keep the API from starting. */
const START_MS = 5_000;
const TOKEN = /^(bearer|dpop) +([^ ]+)$/i;

const NOT_BOUND = refuse('token-invalid', 'This token is not bound to a key. Send it as Authorization: Bearer.');
/** `Host` says nothing: the caller writes it, so a proof for another API would fit. */
const NO_ORIGIN = refuse('proof-invalid', 'This API takes no tokens bound to a key: its option origin is not set.');
const MISSING = refuse('token-missing', 'Send an access token as Authorization: Bearer.');

/**
 * Rejects with a TypeError if an option is wrong, and with `Misconfigured` if the service does not accept the settings. If the
 * service is away, resolves after 5 seconds: the guard answers 503 until the service is back.
 */
export async function verifier(options: VerifierOptions): Promise<Guard> {
  const settings = settingsOf(options);
  const service = new Service(settings);
  const revocations = new Revocations(settings.now);
  const feed = new Feed(service, revocations, settings);
  const parts: Parts = {
    settings,
    feed,
    revocations,
    jwts: new Jwts(service, settings, revocations),
    introspection: new Introspection(service, settings),
    proofs: new DpopProofs(settings),
  };
  const guard = new ServiceGuard(parts, service);
  try {
    await awaited(Promise.race([feed.start(), sleep(START_MS, undefined, { ref: false })]));
  } catch (fault) {
    guard.close();
    throw fault;
  }
  return guard;
}

class ServiceGuard implements Guard {
  readonly #parts: Parts;
  readonly #service: Service;
  readonly #callers = new WeakMap<object, Allowed>();
  /** Set once the API serves them. */
  #metadata: ResourceMetadata | undefined;

  constructor(parts: Parts, service: Service) {
    this.#parts = parts;
    this.#service = service;
  }

  get isFresh(): boolean {
    return this.#parts.feed.isFresh;
  }

  get wasFresh(): boolean {
    return this.#parts.feed.wasFresh;
  }

  get proofs(): Load {
    return this.#parts.proofs.load();
  }

  require(...permissions: string[]): Middleware {
    return this.#middleware(permissions.map(checkPermission), false);
  }

  get metadata(): Middleware {
    const metadata = this.#served();
    const middleware = async (...args: readonly unknown[]) => {
      const call = callOf(args);
      const document = metadata.answerFor(call.method, call.target);
      return document ? call.refuse(document) : call.allow();
    };
    return middleware as Middleware; // what it returns depends on the framework
  }

  mcp(...permissions: string[]): Middleware {
    const needed = permissions.map(checkPermission);
    this.#served().addScopes(needed);
    return this.#middleware(needed, true);
  }

  mcpFetch(handler: McpHandler, ...permissions: string[]): (request: Request) => Promise<Response> {
    const needed = permissions.map(checkPermission);
    const metadata = this.#served();
    metadata.addScopes(needed);
    const responseOf = ({ status, headers, body }: Answer) => new Response(body || null, { status, headers });
    return async (request) => {
      const document = metadata.answerFor(request.method, new URL(request.url).pathname);
      if (document) return responseOf(document);
      const authorization = request.headers.get('authorization') ?? undefined;
      const checked = await this.#checkNeeded(fetchCall(request), needed);
      if (!checked.ok) return responseOf(answerTo(checked));
      return handler.fetch(request, { authInfo: this.#authOf(checked, authorization, metadata) });
    };
  }

  #middleware(needed: readonly string[], isMcp: boolean): Middleware {
    const middleware = async (...args: readonly unknown[]) => {
      const call = callOf(args);
      const document = isMcp ? this.#metadata?.answerFor(call.method, call.target) : undefined;
      if (document) return call.refuse(document);
      const checked = await this.#checkNeeded(call, needed);
      if (!checked.ok) return refuseCall(call, checked);
      for (const key of call.keys) this.#callers.set(key, checked);
      if (isMcp && this.#metadata)
        Object.assign(args[0] as object, { auth: this.#authOf(checked, call.authorization, this.#metadata) });
      return call.allow();
    };
    return middleware as Middleware; // what it returns depends on the framework
  }

  #served(): ResourceMetadata {
    this.#metadata ??= new ResourceMetadata(this.#parts.settings);
    return this.#metadata;
  }

  #authOf(checked: Allowed, authorization: string | undefined, { url }: ResourceMetadata): McpAuth {
    const [, , token = ''] = TOKEN.exec(authorization ?? '') ?? [];
    return mcpAuth(token, checked, this.#parts.settings.resourceServer.audience, url);
  }

  checkCall(call: SentCall, ...permissions: string[]): Promise<Checked> {
    return this.#checkNeeded(call, permissions.map(checkPermission));
  }

  caller(request: object): Allowed {
    const found = this.#callers.get(request);
    if (!found) throw new Error('this request did not pass guard.require');
    return found;
  }

  async check(token: string | undefined, { certificate, dpop }: CheckOptions = {}): Promise<Checked> {
    if (typeof token !== 'string' || token === '') return MISSING;
    const claims = await awaited(checkClaims(token, this.#parts));
    if ('ok' in claims) return claims;
    const { identity, name, integration, guest, expiresAt, boundTo, boundToKey } = claims;
    const { settings, proofs } = this.#parts;
    const unbound = settings.checkBinding
      ? (whyNotBound(claims, certificate) ?? (await proofs.whyNotBound(claims, token, dpop)))
      : undefined;
    if (unbound) return unbound;
    return {
      ok: true,
      identity,
      ...(name !== undefined && { name }),
      integration,
      ...(guest !== undefined && { guest }),
      scope: this.#parts.revocations.narrow(claims.scope, integration),
      expiresAt,
      ...(boundTo !== undefined && { boundTo }),
      ...(boundToKey !== undefined && { boundToKey }),
    };
  }

  close(): void {
    this.#parts.feed.stop();
    this.#service.close();
  }

  async #checkNeeded(call: SentCall, needed: readonly string[]): Promise<Checked> {
    const checked = await this.#checkSent(call);
    const refused = checked.ok ? whyInsufficient(checked, needed) : checked;
    if (!refused) return checked;
    return { ...refused, scope: needed, ...(this.#metadata && { resourceMetadata: this.#metadata.url }) };
  }

  async #checkSent(call: SentCall): Promise<Checked> {
    const [, scheme = '', token] = TOKEN.exec(call.authorization ?? '') ?? [];
    const isDpop = scheme.toLowerCase() === 'dpop';
    const { certificate, proof, method } = call;
    const { origin } = this.#parts.settings;
    if (isDpop && origin === undefined) return NO_ORIGIN;
    const url = `${origin}${call.path}`;
    const checked = await this.check(token, { certificate, dpop: isDpop ? { proof, method, url } : undefined });
    // RFC 9449 7.1: the scheme says that the token is bound.
    return checked.ok && isDpop && checked.boundToKey === undefined ? NOT_BOUND : checked;
  }
}

const PERMISSION = /^[a-z][a-z0-9_.-]*(:[a-z][a-z0-9_.-]*)?$/;
/** An opaque item of a scope, such as `api://orders/.default`: compared whole. */
const OPAQUE = /^(?=.*\/)[!#-:<-[\]-~]+$/;

/** A mistake here would refuse every call, so it fails when the API starts. Resources compare without case. */
export function checkPermission(given: string): string {
  if (typeof given === 'string' && OPAQUE.test(given)) return given;
  const [resource = '', ...rest] = String(given).split(':');
  const permission = [resource.toLowerCase(), ...rest].join(':');
  if (typeof given === 'string' && PERMISSION.test(permission)) return permission;
  throw new TypeError(
    `require takes permissions such as 'orders:read', one per argument, not ${JSON.stringify(given)}`,
  );
}

function whyInsufficient({ scope }: Allowed, permissions: readonly string[]): Refusal | undefined {
  if (permissions.every((permission) => hasPermission(scope, permission))) return undefined;
  return refuse('scope-insufficient', 'This token does not have the permission that is needed.');
}

/** A resource without a permission is satisfied by any permission on it. */
function hasPermission(scope: readonly string[], permission: string): boolean {
  return scope.includes(permission) || isBareWithin(permission, scope);
}
