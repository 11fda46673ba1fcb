// What the holder of the lock does: refresh the pair, or request a new grant.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Way } from './by/way.ts';
import type { Door } from './door/door.ts';
import type { Reply } from './door/reply.ts';
import { NoAnswer } from './door/send.ts';
import { sentence, TokenFailure } from './failure.ts';
import type { HeldStore } from './store/token-store.ts';
import { isRefreshable, isUsable, now, type StoredTokens } from './tokens.ts';

export interface RenewalOptions {
  readonly server: string;
  readonly clientId: string;
  readonly by: Way;
  readonly door: Door;
  /** How long the server repeats its answer for a spent refresh token. */
  readonly retryWindowMs: number;
}

/** How long to try, and what ends it early. */
export interface Patience {
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** A retry must arrive within the window, and may wait for a turn there: the last one is sent this much earlier. */
const MARGIN_MS = 10_000;

/** By error code, where the way to a grant is not the cause. */
const ADVICE = new Map([
  ['invalid_client', 'Check clientId with the operator.'],
  ['invalid_scope', 'Ask for less, or ask the operator to widen the scope of the integration.'],
]);

export class Renewal {
  readonly #options: RenewalOptions;
  /** The refresh token that the server refused, and how: it is not presented again. */
  #refused: { readonly refreshToken: string; readonly failure: TokenFailure } | undefined;

  /** The refresh token whose grant has ended, as the server said. */
  #ended: string | undefined;

  constructor(options: RenewalOptions) {
    this.#options = options;
  }

  /** Whether the grant has ended, so that the access token is dead too. */
  hasEnded({ refreshToken }: StoredTokens): boolean {
    return refreshToken !== undefined && refreshToken === this.#ended;
  }

  async renew(held: HeldStore, tokens: StoredTokens | undefined, patience: Patience): Promise<StoredTokens> {
    if (!tokens) return this.start(held, patience);
    if (isRefreshable(tokens)) return this.#refresh(held, tokens, patience);
    return this.#startOver(held, 'The grant has ended', patience);
  }

  /** Requests a new grant. */
  async start(held: HeldStore, { until, signal }: Patience): Promise<StoredTokens> {
    const { by, door, server } = this.#options;
    if (!by.start) throw new TokenFailure('login-needed', `There are no tokens for ${server}`, by.todo);
    for (let tries = 0; ; tries++) {
      const sentAt = now();
      await held.reserve();
      const reply = await by.start(door, signal);
      if (reply.kind === 'granted') return this.#save(held, reply.json, by.isAlone ? sentAt : now());
      if (reply.kind === 'refused') throw this.#refusalOf(reply);
      await this.#waitOrFail(reply, tries, { until, signal });
    }
  }

  async #refresh(held: HeldStore, tokens: StoredTokens, patience: Patience): Promise<StoredTokens> {
    const { by, door } = this.#options;
    const refreshToken = tokens.refreshToken ?? '';
    if (this.#refused?.refreshToken === refreshToken) throw this.#refused.failure;
    for (let tries = 0; ; tries++) {
      const earlier = await held.presentedSince(refreshToken);
      if (earlier !== undefined && this.#isTooLate(earlier)) return this.#abandon(held, tokens, patience);
      const sentAt = now();
      await held.reserve();
      const reply = await door.token(
        { grant_type: 'refresh_token', refresh_token: refreshToken },
        { tls: by.tls(), beforeSent: () => this.#present(held, refreshToken, earlier) },
      );
      if (reply.kind === 'granted') return this.#save(held, reply.json, sentAt);
      // This request has not spent the token. An earlier one without an answer may have.
      if (reply.kind !== 'unclear' && earlier === undefined) await held.unpresent();
      if (reply.kind === 'refused') return this.#afterRefusal(held, refreshToken, reply, patience);
      await this.#waitOrFail(reply, tries, patience);
    }
  }

  /** The last step before the token is sent: connecting may have taken long. */
  async #present(held: HeldStore, refreshToken: string, earlier: number | undefined): Promise<void> {
    if (earlier !== undefined && this.#isTooLate(earlier))
      throw new NoAnswer(false, new Error('it is too late to retry the refresh'));
    await held.present(refreshToken, Date.now());
  }

  #isTooLate(since: number): boolean {
    const { retryWindowMs } = this.#options;
    return Date.now() > since + retryWindowMs - Math.min(MARGIN_MS, retryWindowMs / 4);
  }

  /**
   * A refresh was sent, its outcome is unknown, and it is too late to retry: if the token was spent, the server would treat it as
   * stolen. So it is never presented again.
   */
  async #abandon(held: HeldStore, tokens: StoredTokens, patience: Patience): Promise<StoredTokens> {
    const why = 'A refresh was interrupted, and it is too late to retry it';
    // The access token still works, so no new login is needed yet.
    if (!this.#options.by.isAlone && isUsable(tokens))
      throw new TokenFailure('unavailable', why, 'The access token works until it expires.');
    const renewed = await this.#startOver(held, why, patience);
    await this.#options.door.revoke(tokens.accessToken).catch(() => undefined); // else it ends by itself, later
    return renewed;
  }

  async #afterRefusal(
    held: HeldStore,
    refreshToken: string,
    reply: Extract<Reply, { kind: 'refused' }>,
    patience: Patience,
  ): Promise<StoredTokens> {
    if (reply.error !== 'invalid_grant') throw this.#refusalOf(reply);
    this.#ended = refreshToken;
    try {
      return await this.#startOver(
        held,
        `The grant cannot be refreshed: ${sentence(reply.why)}`,
        patience,
        reply.error,
      );
    } catch (error) {
      if (error instanceof TokenFailure && error.reason === 'login-needed')
        this.#refused = { refreshToken, failure: error };
      throw error;
    }
  }

  async #startOver(held: HeldStore, why: string, patience: Patience, error?: string): Promise<StoredTokens> {
    const { by } = this.#options;
    if (by.isAlone) return this.start(held, patience);
    throw new TokenFailure('login-needed', why, by.todo, error === undefined ? {} : { error });
  }

  async #save(held: HeldStore, json: Readonly<Record<string, unknown>>, sentAt: number): Promise<StoredTokens> {
    const { server, clientId } = this.#options;
    const tokens = readAnswer({ server, clientId }, json, sentAt);
    await held.save(tokens);
    return tokens;
  }

  #refusalOf({ error, why }: Extract<Reply, { kind: 'refused' }>): TokenFailure {
    const { server, by } = this.#options;
    if (error === 'access_denied') return new TokenFailure('refused', 'The request was denied', by.todo, { error });
    if (error === 'expired_token')
      return new TokenFailure('login-needed', 'Nobody confirmed in time', by.todo, { error });
    const isProof = error === 'invalid_client' && by.isAlone;
    const todo = isProof ? `Check clientId. ${by.todo}` : (ADVICE.get(error) ?? by.todo);
    return new TokenFailure('refused', `${server} refused: ${sentence(why)} (${error})`, todo, { error });
  }

  async #waitOrFail(reply: Reply, tries: number, { until, signal }: Patience): Promise<void> {
    signal?.throwIfAborted();
    const waitMs = Math.max(backOff(tries), (reply.kind === 'later' && reply.afterMs) || 0);
    if (Date.now() + waitMs < until) return sleep(waitMs, undefined, { signal });
    const why = 'why' in reply ? sentence(reply.why) : '';
    const { server } = this.#options;
    throw new TokenFailure('unavailable', `No token from ${server}: ${why}`, 'The grant is fine; try again later.');
  }
}

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Doubles with every try. Random between half and all of it, so that processes do not retry at the same moment. */
export function backOff(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + Math.random() / 2);
}

function readAnswer(
  of: { server: string; clientId: string },
  json: Readonly<Record<string, unknown>>,
  sentAt: number,
): StoredTokens {
  const { access_token, refresh_token, scope, expires_in, refresh_token_expires_in } = json;
  /** Undefined if it is missing, or no number. */
  const ends = (seconds: unknown) => {
    const given = Number(seconds ?? Number.NaN);
    return Number.isFinite(given) ? sentAt + Math.min(given, LONGEST_LIFETIME) : undefined;
  };
  const refreshUntil = ends(refresh_token_expires_in);
  return {
    ...of,
    accessToken: String(access_token),
    scope: typeof scope === 'string' ? scope : '',
    obtainedAt: sentAt,
    // RFC 6749 5.1: expires_in may be missing.
    expiresAt: ends(expires_in) ?? sentAt + UNKNOWN_LIFETIME,
    ...(typeof refresh_token === 'string' && { refreshToken: refresh_token }),
    ...(refreshUntil !== undefined && { refreshUntil }),
  };
}

const UNKNOWN_LIFETIME = 300;
/** A hundred years: sums of it stay exact. */
const LONGEST_LIFETIME = 100 * 365 * 86_400;
