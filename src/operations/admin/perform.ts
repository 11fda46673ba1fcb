// How every act on a registered thing is done: load it, decide, and commit the change with its event.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Changed, DeedOf, EndingDeedOf, EndingKind, Fact } from '../../core/act.ts';
import { type ActEvent, acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy, type RowOf } from '../../core/rules/endings.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Decision, rowOf } from '../../store/store.ts';
import { REGISTERED } from '../../store/tables/registered.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** What was decided: the next row, and what was done for the event. */
export interface Done<K extends EndingKind> {
  readonly next: RowOf[K];
  readonly deed: DeedOf<K>;
  /** What was done before, in the same commit. */
  readonly first?: DeedOf<K>;
}

export type Decide<K extends EndingKind> = (row: RowOf[K] | undefined, at: EpochSeconds) => AdminOutcome<Done<K>>;

export function perform<K extends EndingKind>(
  kind: K,
  id: string,
  { store, by, onlyIf }: AdminPorts,
  decide: Decide<K>,
): Promise<AdminOutcome<RowOf[K]>> {
  return store.change(REGISTERED[kind], id, (found, at): Decision<RowOf[K], AdminOutcome<RowOf[K]>> => {
    if (onlyIf !== undefined && found?.revision !== onlyIf) return { outcome: decline('changed-meanwhile', id) };
    const decided = decide(found?.row, at);
    if (!decided.ok) return { outcome: decided };
    const { next } = decided.value;
    return { outcome: accept(next), next, events: eventsOf(kind, id, decided.value, { at, by }) };
  });
}

/** An act on one thing, to be done together with others. */
export interface Planned {
  readonly kind: EndingKind;
  readonly id: string;
  /** Made by `planned`, which ties the row to its kind. */
  readonly decide: (row: never, at: EpochSeconds) => AdminOutcome<Done<EndingKind>>;
  /** As in AdminPorts. */
  readonly onlyIf?: number | undefined;
}

export function planned<K extends EndingKind>(kind: K, id: string, decide: Decide<K>): Planned {
  return { kind, id, decide: decide as Planned['decide'] };
}

/** The same for several things of any kind: all of them, or none. */
export function performAll(
  acts: readonly Planned[],
  { store, by }: AdminPorts,
): Promise<AdminOutcome<readonly Done<EndingKind>[]>> {
  const rows = acts.map(({ kind, id }) => rowOf<unknown, unknown>(REGISTERED[kind] as never, id));
  return store.changeAll(rows, (found, at): Decision<unknown[], AdminOutcome<readonly Done<EndingKind>[]>> => {
    const done: Done<EndingKind>[] = [];
    for (const [place, { decide, id, onlyIf }] of acts.entries()) {
      if (onlyIf !== undefined && found[place]?.revision !== onlyIf)
        return { outcome: decline('changed-meanwhile', id) };
      const decided = decide(found[place]?.row as never, at);
      if (!decided.ok) return { outcome: decided };
      done.push(decided.value);
    }
    const events = acts.flatMap(({ kind, id }, place) => eventsOf(kind, id, done[place], { at, by }));
    return { outcome: accept(done), next: done.map(({ next }) => next), events };
  });
}

function eventsOf(
  kind: EndingKind,
  id: string,
  { first, deed }: Partial<Done<EndingKind>> = {},
  when: Parameters<typeof acted>[1],
): ActEvent[] {
  return [first, deed].flatMap((each) => (each ? [acted({ ...each, kind, id } as never, when)] : []));
}

/** The decision to end a thing, as rules/endings.ts has it. */
export function ending<K extends EndingKind>(
  kind: K,
  row: RowOf[K],
  deed: EndingDeedOf<K>,
  at: EpochSeconds,
): AdminOutcome<Done<K>> {
  return accept({ next: endedBy(kind, row, deed, at), deed });
}

/** What differs, field by field. Long texts and bytes are given by their SHA-256. */
export function changedBetween(before: object, after: object): Changed {
  const [old, young] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const fields = names.map(
    (name) => [name, { ...factOf('before', old?.[name]), ...factOf('after', young?.[name]) }] as const,
  );
  return { changed: Object.fromEntries(fields.filter(([, { before, after }]) => !isDeepStrictEqual(before, after))) };
}

function factOf(moment: 'before' | 'after', value: unknown): { readonly before?: Fact; readonly after?: Fact } {
  return value === undefined ? {} : { [moment]: printable(value) };
}

const LONGEST = 1_000;

function printable(value: unknown): Fact {
  if (value instanceof Uint8Array) return digest(value);
  if (typeof value === 'string') return value.length > LONGEST ? digest(value) : value;
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value as Fact;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, printable(member)]])),
  );
}

function digest(value: Uint8Array | string): string {
  return `sha256:${hash('sha256', value)}`;
}
