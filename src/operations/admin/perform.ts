// How every act on a registered thing is done: load it, decide, and commit the change with its event.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Changed, DeedOf, EndingDeedOf, EndingKind, Fact } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy, type RowOf } from '../../core/rules/endings.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Decision, rowOf } from '../../store/store.ts';
import { REGISTERED } from '../../store/tables/registered.ts';
import type { AdminOutcome, AdminPorts } from './admin.ts';

/** What was decided: the next row, and what was done for the event. */
export interface Done<K extends EndingKind> {
  readonly next: RowOf[K];
  readonly deed: DeedOf<K>;
  /** What was done before, in the same commit. */
  readonly first?: EndingDeedOf<K>;
}

export type Decide<K extends EndingKind> = (row: RowOf[K] | undefined, at: EpochSeconds) => AdminOutcome<Done<K>>;

export function perform<K extends EndingKind>(
  kind: K,
  id: string,
  { store, by }: AdminPorts,
  decide: Decide<K>,
): Promise<AdminOutcome<RowOf[K]>> {
  return store.change(REGISTERED[kind], id, (found, at): Decision<RowOf[K], AdminOutcome<RowOf[K]>> => {
    const decided = decide(found?.row, at);
    if (!decided.ok) return { outcome: decided };
    const { next, deed, first } = decided.value;
    const deeds = first ? [first, deed] : [deed];
    const events = deeds.map((each) => acted({ ...each, kind, id } as never, { at, by }));
    return { outcome: accept(next), next, events };
  });
}

/** The same for several things of one kind: all of them, or none. */
export function performAll<K extends EndingKind>(
  kind: K,
  acts: readonly (readonly [id: string, decide: Decide<K>])[],
  { store, by }: AdminPorts,
): Promise<AdminOutcome<readonly Done<K>[]>> {
  const rows = acts.map(([id]) => rowOf(REGISTERED[kind], id));
  return store.changeAll(rows, (found, at): Decision<(RowOf[K] | undefined)[], AdminOutcome<readonly Done<K>[]>> => {
    const done: Done<K>[] = [];
    for (const [place, [, decide]] of acts.entries()) {
      const decided = decide(found[place]?.row, at);
      if (!decided.ok) return { outcome: decided };
      done.push(decided.value);
    }
    const events = done.map(({ deed }, place) => acted({ ...deed, kind, id: acts[place]?.[0] } as never, { at, by }));
    return { outcome: accept(done), next: done.map(({ next }) => next), events };
  });
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
