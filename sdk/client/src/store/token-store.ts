import type { StoredTokens } from '../tokens.ts';

/** Where a pair is kept. Implement it to keep pairs somewhere else than in a file. */
export interface TokenStore {
  /** For messages: a path, or the name of a key. */
  readonly name: string;
  /** The pair, or undefined if there is none. Needs no lock: it must never return half of a change. */
  load(): Promise<StoredTokens | undefined>;
  /**
   * Takes the lock of this pair, or returns undefined at once if another process has it. A lock must end with the process
   * that holds it, and never before: a process that was only paused must not send a refresh token that another one has spent.
   */
  lock(): Promise<HeldStore | undefined>;
}

/** What the holder of the lock may do. */
export interface HeldStore {
  /** Reserves durably what `present` and `save` will need. If this fails, nothing is requested. */
  reserve(): Promise<void>;
  /**
   * Records durably that this refresh token is presented since that time, in milliseconds. Called once the connection is open, just before the
   * token is sent. If it fails, the token is not sent. An earlier record of the same token stays.
   */
  present(refreshToken: string, since: number): Promise<void>;
  /** Since when this refresh token has been presented without a known outcome; undefined if it has not been. */
  presentedSince(refreshToken: string): Promise<number | undefined>;
  /** The server has certainly not spent the token: forgets `present`. */
  unpresent(): Promise<void>;
  /** Replaces the pair durably, in one step, and forgets `present`. */
  save(tokens: StoredTokens): Promise<void>;
  /** Removes the pair. */
  clear(): Promise<void>;
  release(): Promise<void>;
}
