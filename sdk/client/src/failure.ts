/**
 * Why no token can be had:
 * - `login-needed`: there is no grant, or it has ended, and only a person can make a new one
 * - `refused`: the server said no; repeating the call changes nothing until a setting is fixed
 * - `unavailable`: the server could not be reached or was busy; the grant is fine, call again later
 * - `storage`: the tokens cannot be loaded or stored; no refresh was requested
 * - `usage`: the options are wrong
 */
export type FailureReason = 'login-needed' | 'refused' | 'unavailable' | 'storage' | 'usage';

/** What every method of a token source throws. Decide by `reason`; `message` is for people and holds no secret. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  readonly reason: FailureReason;
  /** What went wrong, without the advice. */
  readonly what: string;
  /** What to do about it. */
  readonly todo: string;
  /** The error code of the server, such as `invalid_grant`, if it sent one. */
  readonly error: string | undefined;

  constructor(reason: FailureReason, what: string, todo: string, more: { error?: string; cause?: unknown } = {}) {
    super(`${what}. ${todo}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.what = what;
    this.todo = todo;
    this.error = more.error;
  }
}

/** A text of the server, without its full stop: it becomes part of a sentence. */
export function sentence(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
