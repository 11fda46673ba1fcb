import { setTimeout as sleep } from 'node:timers/promises';
import { authorizedFetch } from './authorized-fetch.ts';
import { caOf } from './by/pem.ts';
import type { Way } from './by/way.ts';
import { Door } from './door/door.ts';
import { checkAddress } from './door/metadata.ts';
import { Dpop } from './dpop.ts';
import { sentence, TokenFailure } from './failure.ts';
import { backOff, type Patience, Renewal } from './renewal.ts';
import { SharedTokens } from './shared-tokens.ts';
import { defaultTokenFile } from './store/default-file.ts';
import { fileStore } from './store/file-store.ts';
import type { TokenStore } from './store/token-store.ts';
import { isUsable, now, type StoredTokens } from './tokens.ts';

export interface TokenSourceOptions {
  /** The address of the service, as its operator gave it: `https://tokens.example.com`. Everything else is discovered. */
  readonly server: string;
  /** The integration that the tokens are for. */
  readonly clientId: string;
  /** How a grant is made: `certificate({…})`, `privateKey({…})`, `secret({…})`, `assertion({…})`, `device({…})` or `stored()`. */
  readonly by: Way;
  /**
   * A private key, as a PEM file or its text: the tokens are bound to it (DPoP, RFC 9449), and `fetch` proves it with every request. All
   * processes that share the pair need the same key.
   */
  readonly dpop?: string | undefined;
  /** The file for the pair, shared by all processes that name it, or a store of your own. Left out: a file per server and clientId. */
  readonly store?: string | TokenStore | undefined;
  /** Keeps several grants for the same server and clientId apart. Ignored if `store` is given. */
  readonly profile?: string | undefined;
  /** The CA that signed the server's certificate, if the machine does not trust it: a PEM file, or its text. */
  readonly ca?: string | undefined;
  /** How long a call waits for the server and for other processes before it fails with `unavailable`. 30 by default. */
  readonly timeoutSeconds?: number | undefined;
  /** `refreshRetryWindow` of the server. 60 by default, as there. A longer one than the server's can cost the grant. */
  readonly retryWindowSeconds?: number | undefined;
}

export interface TokenSource {
  /** An access token that is valid now. Call it before every request instead of keeping the token: it is cheap. */
  get(): Promise<string>;
  /** As the global `fetch`, with the token. A 401 is repeated once with a new token, if the body can be sent again. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Makes a new grant now, even if there is one. For `device`: asks the person. If `signal` aborts, rejects with its reason. */
  login(options?: { readonly signal?: AbortSignal }): Promise<StoredTokens>;
  /** Ends the grant at the server and forgets its tokens. */
  revoke(): Promise<void>;
}

export function tokenSource(options: TokenSourceOptions): TokenSource {
  return new Source(options);
}

/** Mistakes are found here instead of in the middle of a refresh. */
function checkOptions(options: TokenSourceOptions): void {
  const { clientId, by, store, timeoutSeconds, retryWindowSeconds } = options ?? {};
  if (!options?.server) throw wrong('server is missing', 'Give the address of the service.');
  if (!clientId) throw wrong('clientId is missing', 'The operator of the service gives you one.');
  if (typeof by?.tls !== 'function')
    throw wrong(
      'by is missing',
      'Give certificate({…}), privateKey({…}), secret({…}), assertion({…}), device({…}) or stored().',
    );
  if (store !== undefined && typeof store !== 'string' && typeof store?.lock !== 'function')
    throw wrong('store is neither a path nor a TokenStore', 'Leave it out for the usual file.');
  for (const [name, value] of Object.entries({ timeoutSeconds, retryWindowSeconds }))
    if (value !== undefined && !(Number.isFinite(value) && value >= 0))
      throw wrong(`${name} is not a number of seconds: ${String(value)}`, 'Leave it out for the default.');
}

function wrong(what: string, todo: string): TokenFailure {
  return new TokenFailure('usage', what, todo);
}

/** While the old token works, a call waits at most this long for a new one. */
const EARLY_MS = 5_000;
const REQUEST_MS = 10_000;
const YOUNG_S = 30;

class Source implements TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #server: string;
  readonly #shared: SharedTokens;
  readonly #door: Door;
  readonly #dpop: Dpop | undefined;
  readonly #renewal: Renewal;
  #renewing: Promise<StoredTokens> | undefined;
  /** After a failed attempt to refresh ahead of time. */
  #notBefore = 0;
  #failures = 0;

  constructor(options: TokenSourceOptions) {
    checkOptions(options);
    const { clientId, by, store, profile, ca, retryWindowSeconds = 60 } = options;
    const server = checkAddress('server', options.server);
    this.#options = options;
    this.#server = server;
    const file = store ?? defaultTokenFile({ server, clientId, profile });
    this.#shared = new SharedTokens(typeof file === 'string' ? fileStore(file) : file, { server, clientId });
    this.#dpop = options.dpop === undefined ? undefined : new Dpop(options.dpop);
    const shared = { server, clientId, client: by.client, dpop: this.#dpop };
    this.#door = new Door({ ...shared, ca: () => ca && caOf(ca), timeoutMs: REQUEST_MS });
    this.#renewal = new Renewal({ server, clientId, by, door: this.#door, retryWindowMs: retryWindowSeconds * 1000 });
  }

  async get(): Promise<string> {
    const fresh = this.#shared.fresh ?? (await this.#shared.loadFresh());
    if (fresh) return fresh.accessToken;
    const { known } = this.#shared;
    if (known && isUsable(known)) return this.#early(known);
    return (await this.#renew(this.#patience())).accessToken;
  }

  fetch(url: string | URL, init?: RequestInit): Promise<Response> {
    return authorizedFetch(url, init, {
      get: () => this.get(),
      replace: (rejected) => this.#replace(rejected),
      dpop: this.#dpop,
    });
  }

  async login({ signal }: { readonly signal?: AbortSignal } = {}): Promise<StoredTokens> {
    const patience = this.#patience(signal);
    const { tokens, before } = await this.#shared.locked(patience, async (held) => {
      const before = await this.#shared.load();
      return { tokens: await this.#renewal.start(held, patience), before };
    });
    this.#shared.know(tokens);
    // Nobody holds the old grant any more. If it cannot be ended now, it ends by itself, later.
    if (before) await this.#sendRevocation(before).catch(() => undefined);
    return tokens;
  }

  async revoke(): Promise<void> {
    const patience = this.#patience();
    await this.#shared.locked(patience, async (held) => {
      const tokens = await this.#shared.load();
      if (!tokens) return;
      await this.#revokeUntil(patience.until, tokens);
      await held.clear();
      this.#shared.forget();
    });
  }

  async #revokeUntil(until: number, tokens: StoredTokens): Promise<void> {
    for (let tries = 0; ; tries++) {
      const reply = await this.#sendRevocation(tokens);
      if (reply.kind === 'granted') return;
      if (reply.kind === 'refused')
        throw new TokenFailure('refused', `${this.#server} refused: ${sentence(reply.why)}`, 'The tokens were kept.');
      if (Date.now() + backOff(tries) > until)
        throw new TokenFailure(
          'unavailable',
          `Not revoked: ${sentence(reply.why)}`,
          'The tokens were kept; try again later.',
        );
      await sleep(backOff(tries));
    }
  }

  async #sendRevocation({ refreshToken, accessToken }: StoredTokens): ReturnType<Door['revoke']> {
    return this.#door.revoke(refreshToken ?? accessToken, { tls: this.#options.by.tls() });
  }

  /** The token works, but is due. Only one process refreshes; the others, and this one if it fails, use what they have. */
  async #early(spare: StoredTokens): Promise<string> {
    if (Date.now() < this.#notBefore) return spare.accessToken;
    try {
      const renewed = this.#renew({ until: Date.now() });
      renewed.catch(() => undefined); // a fault after the race is ignored
      const { accessToken } = await Promise.race([renewed, sleep(EARLY_MS, spare, { ref: false })]);
      this.#failures = 0;
      return accessToken;
    } catch (error) {
      if (this.#renewal.hasEnded(spare)) throw error;
      this.#notBefore = Date.now() + backOff(this.#failures++);
      return spare.accessToken;
    }
  }

  /** One at a time in this process. A caller that joined a shorter attempt than its own goes on. */
  async #renew(patience: Patience, rejected?: string): Promise<StoredTokens> {
    for (;;) {
      const started = this.#renewing === undefined;
      this.#renewing ??= this.#renewUnderLock(patience, rejected).finally(() => {
        this.#renewing = undefined;
      });
      try {
        return await this.#renewing;
      } catch (error) {
        const isOver = started || !(error instanceof TokenFailure) || error.reason !== 'unavailable';
        if (isOver || Date.now() >= patience.until) throw error;
      }
    }
  }

  async #renewUnderLock(patience: Patience, rejected: string | undefined): Promise<StoredTokens> {
    const shared = this.#shared;
    const isGood = () => shared.fresh !== undefined && shared.known?.accessToken !== rejected;
    const tokens = await shared.locked(
      patience,
      async (held) => {
        const tokens = await shared.load();
        return isGood() && tokens ? tokens : this.#renewal.renew(held, tokens, patience);
      },
      async () => {
        await shared.load();
        return isGood() ? shared.known : undefined;
      },
    );
    shared.know(tokens);
    return tokens;
  }

  /** After a 401. Undefined if no other token can be obtained. */
  async #replace(rejected: string): Promise<string | undefined> {
    const fresh = await this.#shared.loadFresh();
    if (fresh && fresh.accessToken !== rejected) return fresh.accessToken;
    // A server that refuses a token this young refuses the next one too.
    const age = now() - (this.#shared.known?.obtainedAt ?? 0);
    if (age >= 0 && age < YOUNG_S) return undefined; // below 0: the clock was set back
    return (await this.#renew(this.#patience(), rejected)).accessToken;
  }

  #patience(signal?: AbortSignal): Patience {
    return { until: Date.now() + (this.#options.timeoutSeconds ?? 30) * 1000, signal };
  }
}
