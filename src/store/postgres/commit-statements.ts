// How units are worded as statements.
import type { Commit, Swap } from '../back-end.ts';
import { encodeRow, type Value } from '../table.ts';
import { columnArrays } from './arrays.ts';
import type { Statement } from './connection.ts';
import { EVENT_COLUMNS, eventValues, tellText } from './events.ts';
import { changingStatement, IN_TIME, statementsOf } from './statements.ts';

/** A statement with its parameters: made before a connection is asked for, so that what cannot be worded is no fault of one. */
export interface Asking {
  readonly statement: Statement;
  readonly values: readonly Buffer[];
}

/** Nothing of a unit happens where one of its steps does not. An insert is a swap for a row that is not there. */
export function stepsOf({ swap, inserts }: Commit): Swap[] {
  const inserted = inserts.map(({ table, row }) => ({ table, row, expected: undefined }));
  return swap ? [swap, ...inserted] : inserted;
}

export function firstStep(unit: Commit): Swap {
  return unit.swap ?? (stepsOf(unit)[0] as Swap);
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

/** The first step of each unit, in one statement, with the events of those units. Answers with the units that it happened to. */
export function takingSteps(units: readonly Commit[]): Asking {
  const step = firstStep(units[0] as Commit);
  const { text, columns } = statementsOf(step.table)[kindOf(step)];
  const own = columnArrays(columns, units.map(stepValues));
  const events = eventsOf(units);
  const name = nameOf(step);
  if (events.length === 0) return { statement: changingStatement(name, text, columns.length), values: own };
  return {
    statement: changingStatement(
      `${name}_telling`,
      `${text}, ${tellText(columns.length + 1)}`,
      columns.length + EVENT_COLUMNS.length,
    ),
    values: [...own, ...columnArrays(EVENT_COLUMNS, events)],
  };
}

/** Events alone. */
export function telling(units: readonly Commit[]): Asking {
  const text = `done AS (SELECT DISTINCT unnest($1::bigint[]) AS unit WHERE ${IN_TIME}), ${tellText(1)}`;
  return {
    statement: changingStatement('tell', text, EVENT_COLUMNS.length),
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
