// JSON Schema that carries the type of what it describes: one description, by which values are read, from which their
// types come, and which documents show.

declare const VALUE: unique symbol;
const OPTIONAL = Symbol('may be absent');

/** JSON Schema of values of type T. */
export interface Schema<T = unknown> {
  readonly description?: string;
  readonly [VALUE]?: T;
}

export interface ObjectSchema<Properties extends Record<string, Schema>> extends Schema<ObjectOf<Properties>> {
  readonly properties: Properties;
}

/** The type of the values that a schema describes. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never;

type Optional = { readonly [OPTIONAL]: true };

type ObjectOf<Properties> = {
  [Name in keyof Properties as Properties[Name] extends Optional ? never : Name]: ValueOf<Properties[Name]>;
} & { [Name in keyof Properties as Properties[Name] extends Optional ? Name : never]?: ValueOf<Properties[Name]> };

/** Description and limits, in addition to the type. */
type Notes = Readonly<Record<string, unknown>>;

/** A schema written by hand, with the type that it describes. */
export function described<T>(schema: Notes): Schema<T> {
  return schema as Schema<T>;
}

export function string(notes: Notes = {}): Schema<string> {
  return described({ type: 'string', ...notes });
}

export function integer(notes: Notes = {}): Schema<number> {
  return described({ type: 'integer', ...notes });
}

export function boolean(notes: Notes = {}): Schema<boolean> {
  return described({ type: 'boolean', ...notes });
}

export function list<T>(items: Schema<T>, notes: Notes = {}): Schema<T[]> {
  return described({ type: 'array', items, ...notes });
}

export function object<Properties extends Record<string, Schema>>(
  properties: Properties,
  notes: Notes = {},
): ObjectSchema<Properties> {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  const needs = required.length > 0 ? { required } : {};
  return { ...described<ObjectOf<Properties>>({ type: 'object', ...needs, properties, ...notes }), properties };
}

/** A property that may be absent. */
export function optional<S extends Schema>(schema: S): S & Optional {
  // Hidden: documents and comparisons see the schema alone.
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true }) as S & Optional;
}
