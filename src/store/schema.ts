// The schema follows from the tables: what makes a new store, and what brings an older one up to date.
import { TABLES } from './all-tables.ts';
import { StoreUnusable } from './store.ts';
import { type AnyTable, type Column, type ColumnKind, isOptional, keyColumn, type RowStorage } from './table.ts';
import { eventColumns, IS_ACT } from './tables/events.ts';

/** The schema of 0.3.0. Each later one adds the tables and columns that are `since` it. */
export const OLDEST = 18;

export function tooOld(version: number): StoreUnusable {
  return new StoreUnusable(
    `the database has schema ${version}, of a release before 0.3`,
    'Open it once with 0.3.3 or 0.3.4, which upgrade it: docs/upgrading.md.',
  );
}

/** How a back end words the schema. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnKind, string>>;
  readonly revision: string;
  /** What follows the columns of a table. */
  readonly rows: Readonly<Record<RowStorage, string>>;
  /** The event log: append-only. `columns`: those after its sequence number. */
  readonly events: (columns: string) => string;
  readonly addColumn: (table: string, column: string) => string;
  /** On a table that may be large: steps that block nobody. */
  readonly addIndex: (name: string, on: string) => readonly string[];
}

/** Each step is a transaction and locks at most one busy table. All but the last can be repeated. All are additive. */
export interface Upgrade {
  readonly version: number;
  readonly steps: readonly string[];
}

/** Empty, of the newest schema. */
export function creationOf(dialect: Dialect, tables: readonly AnyTable[] = TABLES): string {
  const columns = eventColumns.map((column) => columnText(column, dialect)).join(', ');
  return [
    ...tables.map((table) => creating(table, dialect)),
    dialect.events(columns),
    // Refreshes, most of the log, have no identity, hence no entry.
    indexText({ name: 'events_identity_id', on: 'events (identity_id, sequence) WHERE identity_id IS NOT NULL' }),
    indexText({ name: 'events_acts', on: `events (sequence) WHERE ${IS_ACT}` }),
  ].join(';\n');
}

/** From the oldest schema to the newest. */
export function upgradesOf(dialect: Dialect, tables: readonly AnyTable[] = TABLES): readonly Upgrade[] {
  const added: readonly { readonly since?: number }[] = [
    ...tables,
    ...tables.flatMap(({ columns }) => columns),
    ...eventColumns,
  ];
  const versions = new Set(added.flatMap(({ since }) => since ?? []));
  return [...versions].sort((a, b) => a - b).map((version) => ({ version, steps: stepsTo(version, tables, dialect) }));
}

/** New tables come last: a step that makes some cannot be repeated. */
function stepsTo(version: number, tables: readonly AnyTable[], dialect: Dialect): readonly string[] {
  const isNew = ({ since }: { readonly since?: number }) => since === version;
  const adding = (table: string, columns: readonly Column[]) =>
    columns.filter(isNew).map((column) => dialect.addColumn(table, columnText(column, dialect)));
  const asOf = (table: AnyTable) => ({ ...table, columns: table.columns.filter(({ since = 0 }) => since <= version) });
  const added = tables.filter(isNew).map((table) => creating(asOf(table), dialect));
  return [
    ...tables.filter((table) => !isNew(table)).flatMap((table) => adding(quoted(table.name), table.columns)),
    ...adding('events', eventColumns),
    ...tables.filter((table) => !isNew(table)).flatMap((table) => indexesAdded(table, isNew, dialect)),
    ...(added.length > 0 ? [added.join(';\n')] : []),
  ];
}

function indexesAdded(table: AnyTable, isNew: (column: Column) => boolean, dialect: Dialect): readonly string[] {
  const names = table.columns.filter(isNew).map(({ name }) => name);
  return indexesOf(table).flatMap(({ of, name, on }) => (names.includes(of) ? dialect.addIndex(name, on) : []));
}

function creating(table: AnyTable, dialect: Dialect): string {
  return [tableText(table, dialect), ...indexesOf(table).map(indexText)].join(';\n');
}

function tableText(table: AnyTable, dialect: Dialect): string {
  const { name, columns, companion, rows = 'steady' } = table;
  const texts = columns.map((column, at) => {
    const key = at === 0 ? ' PRIMARY KEY' : column.unique ? ' UNIQUE' : '';
    const refers = companion?.by === column.name ? ` REFERENCES ${referred(companion.table)}` : '';
    return `${columnText(column, dialect)}${key}${refers}`;
  });
  const revision = `revision ${dialect.revision} NOT NULL`;
  return `CREATE TABLE ${quoted(name)} (${[texts[0], revision, ...texts.slice(1)].join(', ')}) ${dialect.rows[rows]}`;
}

function columnText(column: Column, { types }: Dialect): string {
  return `${quoted(column.name)} ${types[column.kind]}${isOptional(column) ? '' : ' NOT NULL'}`;
}

function referred(table: AnyTable): string {
  return `${quoted(table.name)} (${quoted(keyColumn(table).name)})`;
}

interface Index {
  readonly name: string;
  readonly on: string;
}

function indexesOf({ name, columns, indexes = [], ends, isFollowed }: AnyTable): readonly (Index & { of: string })[] {
  const unique = columns.filter((column) => column.unique).map((column) => column.name);
  const found = [...indexes, ...(ends ? [ends.at] : []), ...(isFollowed ? ['revision'] : [])];
  return found
    .filter((of) => !unique.includes(of) && (of === 'revision' || columns.some((column) => column.name === of)))
    .map((of) => {
      const column = columns.find((each) => each.name === of);
      const where = column && isOptional(column) ? ` WHERE ${quoted(of)} IS NOT NULL` : '';
      return { of, name: `${name}_${of}`, on: `${quoted(name)} (${quoted(of)})${where}` };
    });
}

function indexText({ name, on }: Index): string {
  return `CREATE INDEX ${name} ON ${on}`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
