// Turns units into statements.
import type { Commit, Swap } from '../back-end.ts';
import { encodeRow, staysNull, type Value } from '../table.ts';
import { columnArrays } from './arrays.ts';
import { appendText, EVENT_COLUMNS, eventValues } from './events.ts';
import type { Statement } from './prepared-query.ts';
import { changingStatement, IN_TIME, statementsOf, type Writing } from './statements.ts';

/** A statement with its parameters. Built before a connection is taken: a value that cannot be encoded is not its fault. */
export interface Asking {
  readonly statement: Statement;
  readonly values: readonly Buffer[];
}

/** Of a unit that has steps: its swaps. If one of them fails, none of them happens. */
export function firstStep({ swaps }: Commit): Swap {
  return swaps[0] as Swap;
}

export function keyOf(unit: Commit): string {
  const { table, row } = firstStep(unit);
  return table.keyOf(row);
}

function kindOf({ expected }: Swap): 'swap' | 'create' {
  return expected === undefined ? 'create' : 'swap';
}

export function nameOf(step: Swap): string {
  return `${kindOf(step)}_${step.table.name}`;
}

/** The first step of each unit, in one statement, with the events of those units. Returns the units that succeeded. */
export function takingSteps(units: readonly Commit[]): Asking {
  const rows = units.map(stepValues);
  const [name, { text, columns }] = writingOf(units.map(firstStep));
  const own = columnArrays(columns, rows);
  const events = eventsOf(units);
  if (events.length === 0) return { statement: changingStatement(name, text, columns.length), values: own };
  return {
    statement: changingStatement(
      `${name}_with_events`,
      `${text}, ${appendText(columns.length + 1)}`,
      columns.length + EVENT_COLUMNS.length,
    ),
    values: [...own, ...columnArrays(EVENT_COLUMNS, events)],
  };
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
function writingOf(steps: readonly Swap[]): [name: string, Writing] {
  const [first] = steps as [Swap];
  const { create, swap, swapCommon } = statementsOf(first.table);
  const name = nameOf(first);
  if (kindOf(first) === 'create') return [name, create];
  const staysCommon = steps.every(({ table, row, before }) => staysNull(statementsOf(table).changingRare, before, row));
  return staysCommon ? [`${name}_common`, swapCommon] : [name, swap];
}

/** Events alone. */
export function appendingEvents(units: readonly Commit[]): Asking {
  const text = `done AS (SELECT DISTINCT unnest($1::bigint[]) AS unit WHERE ${IN_TIME}), ${appendText(1)}`;
  return {
    statement: changingStatement('append_events', text, EVENT_COLUMNS.length),
    values: columnArrays(EVENT_COLUMNS, eventsOf(units)),
  };
}

function eventsOf(units: readonly Commit[]): Value[][] {
  return units.flatMap(({ events }, index) => events.map((event) => eventValues(event, index + 1)));
}

function stepValues(unit: Commit): Value[] {
  const { table, row, expected } = firstStep(unit);
  if (expected === undefined) return [unit.revision, ...encodeRow(table, row)];
  const values: Value[] = [expected, unit.revision, table.encodeKey(table.keyOf(row))];
  for (const { of } of statementsOf(table).changing) values.push(of(row));
  return values;
}
