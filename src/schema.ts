// JSON Schema that carries the type of what it describes: one description, by which values are read, from which their
// types come, and which documents show.

import { closest } from './core/closest.ts';

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

/** An object whose schema has a name in documents. */
export function named<Properties extends Record<string, Schema>>(
  title: string,
  properties: Properties,
): ObjectSchema<Properties> {
  return object(properties, { title });
}

/** A property that may be absent. */
export function optional<S extends Schema>(schema: S): S & Optional {
  // Hidden: documents and comparisons see the schema alone.
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true }) as S & Optional;
}

/** The JSON Schema keywords by which values are checked. */
interface Keywords {
  readonly type?: string;
  readonly anyOf?: readonly Keywords[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Keywords;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
}

type Rules = { readonly [Word in keyof Keywords]-?: (bound: NonNullable<Keywords[Word]>, value: unknown) => boolean };

const RULES: Rules = {
  type: (name, value) => typeOf(value) === name,
  anyOf: (schemas, value) => schemas.some((schema) => flawOf(schema as Schema, value) === undefined),
  enum: (values, value) => values.includes(value),
  pattern: (pattern, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minLength: (length, value) => typeof value !== 'string' || value.length >= length,
  minimum: (least, value) => typeof value !== 'number' || value >= least,
  maximum: (most, value) => typeof value !== 'number' || value <= most,
  items: (item, value) => !Array.isArray(value) || value.every((entry) => fits(item, entry)),
  minItems: (length, value) => !Array.isArray(value) || value.length >= length,
  uniqueItems: (_, value) => !Array.isArray(value) || new Set(value).size === value.length,
};

/** Whether a value satisfies these keywords of a schema, without the members of objects. */
export function fits(schema: Keywords, value: unknown): boolean {
  return Object.entries(RULES).every(([word, holds]) => {
    const bound = schema[word as keyof Keywords];
    return bound === undefined || (holds as (bound: unknown, value: unknown) => boolean)(bound, value);
  });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

interface Members extends Keywords {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly default?: unknown;
  readonly readOnly?: boolean;
}

/** All properties that may be given: one that is left out has its default, or is undefined. */
export function completed<T extends object>(schema: Schema<T>, value: Partial<T>): Required<T> {
  return withDefaults(schema, value) as Required<T>;
}

/** Without what is undefined or only shown. */
/** The same schema, without what is left to what reads the values. */
export function strictly(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'x-refusal' ? undefined : value)));
}

export function changeable(schema: Schema, value: object): object {
  const names = changeableIn(schema).map(([name]) => name);
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => each !== undefined && names.includes(name)));
}

function changeableIn(schema: Schema): (readonly [name: string, Members])[] {
  const known = Object.entries((schema as Members).properties ?? {}) as [string, Members][];
  return known.filter(([, { readOnly }]) => !readOnly);
}

function withDefaults(schema: Schema, value: object): Record<string, unknown> {
  return Object.fromEntries(
    changeableIn(schema).map(([name, member]) => {
      const given = (value as Readonly<Record<string, unknown>>)[name];
      return [name, member.properties ? withDefaults(member as Schema, given ?? {}) : (given ?? member.default)];
    }),
  );
}

/** What is wrong with a value, with the path of the member that it concerns; undefined if it satisfies the schema. `x-refusal`: what reads it says so. */
export function flawOf(schema: Schema, value: unknown, path = ''): string | undefined {
  const { properties = {}, required = [], additionalProperties, items, ...own } = schema as Members;
  const what = path === '' ? 'it' : path;
  const isSaidThere = 'x-refusal' in schema;
  if (!fits(isSaidThere ? { ...(own.type !== undefined && { type: own.type }) } : own, value))
    return `${what} is not ${expected(own)}`;
  if (Array.isArray(value))
    return firstFlaw(value.map((item, at) => [(items ?? {}) as Schema, item, `${what}[${at}]`]));
  if (typeof value !== 'object' || value === null || isSaidThere) return undefined;
  const given = Object.entries(value);
  const unknown = given.find(([name]) => additionalProperties === false && !Object.hasOwn(properties, name));
  if (unknown) return `${below(path, unknown[0])} is not a known member${meant(unknown[0], properties)}`;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${below(path, missing)} is missing`;
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  return firstFlaw(given.map(([name, member]) => [propertyOf(properties, name) ?? others, member, below(path, name)]));
}

function meant(name: string, properties: object): string {
  const near = closest(name, Object.keys(properties));
  return near === undefined ? '' : `: did you mean ${near}?`;
}

function propertyOf(properties: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function firstFlaw(parts: readonly (readonly [schema: Schema, value: unknown, path: string])[]): string | undefined {
  for (const [schema, value, path] of parts) {
    const flaw = flawOf(schema, value, path);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function expected({ enum: values, type, minimum, maximum }: Keywords): string {
  if (values) return `one of ${values.join(', ')}`;
  if (minimum !== undefined) return `a whole number from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
  return type === undefined ? 'of a form that is accepted' : `of type ${type}, in the form that is accepted`;
}
