// Turns units into statements.
import { oncePer } from '../../core/once-per.ts';
import type { Commit, Swap } from '../back-end.ts';
import { type AnyTable, type Column, changingColumns, encodeRow, keyColumn, staysNull, type Value } from '../table.ts';
import { columnArrays } from './arrays.ts';
import { appendText, EVENT_COLUMNS, eventValues } from './events.ts';
import { quote, unnested } from './statements.ts';

/** A statement with its parameters. Built before a connection is taken: a value that cannot be encoded is not its fault. */
export interface Asking {
  readonly text: string;
  readonly values: readonly Buffer[];
}

/** True in every part of a changing statement, or in none: the clock is read once. */
export const IN_TIME = '(SELECT is_in_time FROM start)';
const APPEND = changingText(
  `done AS (SELECT DISTINCT unnest($1::bigint[]) AS unit WHERE ${IN_TIME}), ${appendText(1)}`,
  EVENT_COLUMNS.length,
);

/** Of a unit that has steps: its swaps. If one of them fails, none of them happens. */
export function firstStep({ swaps }: Commit): Swap {
  return swaps[0] as Swap;
}

export function keyOf(unit: Commit): string {
  const { table, row } = firstStep(unit);
  return table.keyOf(row);
}

/** Steps with the same name share a statement. */
export function nameOf({ table, expected }: Swap): string {
  return `${expected === undefined ? 'create' : 'swap'} ${table.name}`;
}

/** The first step of each unit, in one statement, with the events of those units. Returns the units that succeeded. */
export function takingSteps(units: readonly Commit[]): Asking {
  const { columns, text, textWithEvents } = writingOf(units.map(firstStep));
  const own = columnArrays(columns, units.map(stepValues));
  const events = eventsOf(units);
  if (events.length === 0) return { text, values: own };
  return { text: textWithEvents, values: [...own, ...columnArrays(EVENT_COLUMNS, events)] };
}

/** All of one unit, in the order of its steps: statements, each with the number of rows in its answer if it succeeded. */
export function takingUnit(unit: Commit): (Asking & { readonly rows: number })[] {
  const taking = Array.from(Map.groupBy(unit.swaps, nameOf).values(), (steps) => ({
    ...takingSteps(steps.map((step) => ({ ...unit, swaps: [step], events: [] }))),
    rows: steps.length,
  }));
  return unit.events.length > 0 ? [...taking, { ...appendingEvents([unit]), rows: 1 }] : taking;
}

/** Few changes touch a rare column: without those, a refresh takes 5 % less of the server's time. */
function writingOf(steps: readonly Swap[]): Writing {
  const [{ table, expected }] = steps as [Swap];
  const { create, swap, swapCommon, changingRare } = writingsOf(table);
  if (expected === undefined) return create;
  return steps.every(({ row, before }) => staysNull(changingRare, before, row)) ? swapCommon : swap;
}

export function appendingEvents(units: readonly Commit[]): Asking {
  return { text: APPEND, values: columnArrays(EVENT_COLUMNS, eventsOf(units)) };
}

function eventsOf(units: readonly Commit[]): Value[][] {
  return units.flatMap(({ events }, index) => events.map((event) => eventValues(event, index + 1)));
}

function stepValues(unit: Commit): Value[] {
  const { table, row, expected } = firstStep(unit);
  if (expected === undefined) return [unit.revision, ...encodeRow(table, row)];
  const values: Value[] = [expected, unit.revision, table.encodeKey(table.keyOf(row))];
  for (const { of } of writingsOf(table).changing) values.push(of(row));
  return values;
}

interface Writing {
  /** Of the parameters. */
  readonly columns: readonly Column[];
  readonly text: string;
  readonly textWithEvents: string;
}

const writingsOf = oncePer((table: AnyTable) => {
  const changing = changingColumns(table);
  const common = changing.filter((column) => !column.rare);
  return {
    /** The columns that a swap sets besides the revision. */
    changing,
    changingRare: changing.filter((column) => column.rare),
    swap: swapping(table, changing),
    /** For rows whose rare columns are null and remain so. */
    swapCommon: swapping(table, common),
    create: creating(table),
  };
});

const REVISIONS = [
  { name: 'expected', kind: 'integer' },
  { name: 'revision', kind: 'integer' },
] as const satisfies readonly Column[];

/** Compare-and-set of many rows; returns which had the expected revision. Sorted keys prevent deadlocks. */
function swapping(table: AnyTable, changing: readonly Column[]): Writing {
  const columns: Column[] = [...REVISIONS, keyColumn(table), ...changing];
  const set = ['revision', ...changing.map(({ name }) => name)].map((name) => `${quote(name)} = i.${quote(name)}`);
  const key = quote(keyColumn(table).name);
  return writing(
    columns,
    `done AS (UPDATE ${quote(table.name)} t SET ${set.join(', ')} FROM ${unnested(columns, 'i')}
    WHERE t.${key} = i.${key} AND t.revision = i.expected AND ${IN_TIME} RETURNING i.unit)`,
  );
}

/** Inserts many rows at once; returns which of them are new. If several have the same key, the first one wins. */
function creating(table: AnyTable): Writing {
  const columns: Column[] = [REVISIONS[1], ...table.columns];
  const names = columns.map(({ name }) => quote(name)).join(', ');
  const key = quote(keyColumn(table).name);
  return writing(
    columns,
    `given AS (SELECT DISTINCT ON (${key}) * FROM ${unnested(columns, 'i')} WHERE ${IN_TIME} ORDER BY ${key}, unit),
    made AS (INSERT INTO ${quote(table.name)} (${names}) SELECT ${names} FROM given ORDER BY ${key}
      ON CONFLICT DO NOTHING RETURNING ${key}),
    done AS (SELECT given.unit FROM given JOIN made ON made.${key} = given.${key})`,
  );
}

/** `parts`: common table expressions. `done` lists the units that succeeded. */
function writing(columns: readonly Column[], parts: string): Writing {
  const { length } = columns;
  return {
    columns,
    text: changingText(parts, length),
    textWithEvents: changingText(`${parts}, ${appendText(length + 1)}`, length + EVENT_COLUMNS.length),
  };
}

/** Its last parameter is the latest second at which it may start. If it starts later, it returns unit 0. */
export function changingText(parts: string, parameters: number): string {
  return `WITH start AS MATERIALIZED (
    SELECT clock_timestamp() <= to_timestamp($${parameters + 1}::float8) AS is_in_time), ${parts}
    SELECT 0::bigint AS unit FROM start WHERE NOT is_in_time UNION ALL SELECT unit FROM done`;
}
