import { escapeControls } from './quote.ts';
import type { PersonReason, Refusal, ScopeReason } from './refusal.ts';
import type { Seconds } from './time.ts';

/** The result of an operation: a value, or a refusal. Faults are thrown. */
export type Outcome<T, R = Refusal> = { readonly ok: true; readonly value: T } | Refused<R>;

/** The result of an operation that a person started in a browser. */
export type PersonOutcome<T> = Outcome<T, Refusal<PersonReason>>;

export interface Refused<R = Refusal> {
  readonly ok: false;
  readonly refusal: R;
}

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function acceptedOf<T>(outcomes: readonly Outcome<T, unknown>[]): T[] {
  return outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
}

/** The return type of the caller says which closed list the reason must be on. */
export function refuse<const R extends string>(
  reason: R,
  details: { retryAfter?: Seconds; rule?: string } = {},
): Refused<Refusal<R>> {
  return refused({ reason, ...details });
}

const MAX_SHOWN = 200;
/** Ours, and JWTs. One that was put where the scope belongs is not shown. */
const TOKEN = /\bts[a-z]_[\w+/=-]{8,}|\beyJ[\w-]{8,}[\w.-]*/g;

/** Operators see which scope it was. */
export function refuseScope<const R extends ScopeReason>(reason: R, scope: string): Refused<Refusal<R>> {
  const bare = scope.replace(TOKEN, '(a token)');
  const shown = bare.length > MAX_SHOWN ? `${bare.slice(0, MAX_SHOWN)}…` : bare;
  return refused({ reason, claimed: { scope: escapeControls(shown) } });
}

export function refusedTo(identityId: string, refusal: Refusal): Refused {
  return refused({ ...refusal, identityId });
}

export function refused<R>(refusal: R): Refused<R> {
  return { ok: false, refusal };
}
