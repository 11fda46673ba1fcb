import type { Refusal, RefusalReason } from './refusal.ts';
import type { Seconds } from './time.ts';

/** The result of an operation: a value or a refusal. Faults are thrown. */
export type Outcome<T, R = Refusal> = { readonly ok: true; readonly value: T } | Refused<R>;

export interface Refused<R = Refusal> {
  readonly ok: false;
  readonly refusal: R;
}

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refuse(reason: RefusalReason, details: { retryAfter?: Seconds; rule?: string } = {}): Refused {
  return refused({ reason, ...details });
}

/** Returns an existing refusal. */
export function refused<R>(refusal: R): Refused<R> {
  return { ok: false, refusal };
}
