// A token pair as it is stored, and when it is due. Times are epoch milliseconds of this machine's clock.

import { parseJson } from './json.ts';

/** A token pair. Times are epoch milliseconds of this machine's clock. */
export interface StoredTokens {
  readonly server: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly scope: string;
  /** When the request was sent that got this pair. */
  readonly obtainedAt: number;
  /** When the access token expires. */
  readonly expiresAt: number;
  /** Absent if the grant cannot be refreshed. */
  readonly refreshToken?: string;
  /** When the grant ends. */
  readonly refreshUntil?: number;
}

/** An access token is not handed out in its last seconds: the call takes time. */
const LAST_MS = 5_000;
/** The server counts whole seconds, so up to one is missing; the rest is for the call. */
const LAST_AT_LEAST_MS = 1_500;

function usableUntil({ obtainedAt, expiresAt }: StoredTokens): number {
  return expiresAt - Math.min(LAST_MS, Math.max(LAST_AT_LEAST_MS, (expiresAt - obtainedAt) * 0.05));
}

export function isUsable(tokens: StoredTokens, now: number): boolean {
  return now < usableUntil(tokens);
}

/** A refresh starts when 15 to 25 % of the time are left: each process draws its own share. */
const AHEAD = 0.15;
const JITTER = 0.1;

/** When this process starts to refresh. `draw`: 0 to 1. */
export function dueAt(tokens: StoredTokens, draw: number): number {
  const until = usableUntil(tokens);
  return until - (until - tokens.obtainedAt) * (AHEAD + JITTER * draw);
}

export function isRefreshable({ refreshToken, refreshUntil = Infinity }: StoredTokens, now: number): boolean {
  return refreshToken !== undefined && now < refreshUntil;
}

/** Undefined if the text is not a stored pair. */
export function parseTokens(text: string): StoredTokens | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value as Partial<Record<keyof StoredTokens, unknown>>;
  const texts = [found.server, found.clientId, found.accessToken, found.scope];
  const times = [found.obtainedAt, found.expiresAt];
  const isWhole =
    texts.every((each) => typeof each === 'string') &&
    times.every((each) => Number.isFinite(each)) &&
    ['string', 'undefined'].includes(typeof found.refreshToken) &&
    (found.refreshUntil === undefined || Number.isFinite(found.refreshUntil));
  return isWhole ? (value as StoredTokens) : undefined;
}

export function writeTokens(tokens: StoredTokens): string {
  return `${JSON.stringify(tokens, undefined, 2)}\n`;
}
