// A token pair, when it is due, and its text in a file.

import { parseJson } from './json.ts';

/** A token pair. Times are epoch seconds of this machine's clock, with fractions. */
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

/** This machine's clock, in epoch seconds. */
export function now(): number {
  return Date.now() / 1000;
}

/** An access token is not handed out in its last seconds: the call takes time. */
const LAST_S = 5;
/** The server counts whole seconds, so up to one is missing; the rest is for the call. */
const LAST_AT_LEAST_S = 1.5;

function usableUntil({ obtainedAt, expiresAt }: StoredTokens): number {
  return expiresAt - Math.min(LAST_S, Math.max(LAST_AT_LEAST_S, (expiresAt - obtainedAt) * 0.05));
}

export function isUsable(tokens: StoredTokens): boolean {
  return now() < usableUntil(tokens);
}

/** A refresh starts when 15 to 25 % of the time are left: each process draws its own share. */
const AHEAD = 0.15;
const JITTER = 0.1;

/** When this process starts to refresh. `draw`: 0 to 1. */
export function dueAt(tokens: StoredTokens, draw: number): number {
  const until = usableUntil(tokens);
  return until - (until - tokens.obtainedAt) * (AHEAD + JITTER * draw);
}

export function isRefreshable({ refreshToken, refreshUntil = Infinity }: StoredTokens): boolean {
  return refreshToken !== undefined && now() < refreshUntil;
}

/** Above this, a time is in milliseconds: as seconds it would be after the year 5000, as milliseconds it is after 1973. */
const MOST_SECONDS = 1e11;

/** Stores other than the file may still hold pairs of Tessera 0.2.0, whose times were milliseconds. */
export function inSeconds(tokens: StoredTokens): StoredTokens {
  return tokens.expiresAt < MOST_SECONDS ? tokens : timesBy(tokens, (time) => time / 1000);
}

function timesBy(tokens: StoredTokens, convert: (time: number) => number): StoredTokens {
  const { obtainedAt, expiresAt, refreshUntil } = tokens;
  return {
    ...tokens,
    obtainedAt: convert(obtainedAt),
    expiresAt: convert(expiresAt),
    ...(refreshUntil !== undefined && { refreshUntil: convert(refreshUntil) }),
  };
}

/** Undefined if the text is not a stored pair. Times in a file are milliseconds, for programs of Tessera 0.2.0 that share it. */
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
  return isWhole ? timesBy(value as StoredTokens, (time) => time / 1000) : undefined;
}

export function writeTokens(tokens: StoredTokens): string {
  return `${JSON.stringify(
    timesBy(tokens, (time) => Math.round(time * 1000)),
    undefined,
    2,
  )}\n`;
}
