// What the schema of a registered thing says of each of its fields: the option that sets it, and how it is shown. What is special
// about a field stands beside the commands of its kind.
import { formatDuration } from '../../core/duration.ts';
import { seconds } from '../../core/time.ts';
import type { ObjectSchema, Schema, ValueOf } from '../../schema.ts';
import {
  count,
  DEFAULT,
  duration,
  type Given,
  type Input,
  type Inputs,
  inWords,
  json,
  needed,
  oneOf,
  orDefault,
  orNone,
  someOf,
  text,
  texts,
  yesNo,
} from '../terminal/options.ts';

/** The keywords of a schema that options and output follow. */
interface Keywords {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Keywords;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly readOnly?: boolean;
}

type Properties = Record<string, Schema>;

/** The fields of an object are fields of their own, such as `flows.device`. */
type FieldOf<P extends Properties> = {
  [Name in keyof P & string]: P[Name] extends ObjectSchema<infer Inner> ? `${Name}.${keyof Inner & string}` : Name;
}[keyof P & string];

type ValueAt<P extends Properties, Field> = Field extends `${infer Outer}.${infer Name}`
  ? P[Outer] extends ObjectSchema<infer Inner>
    ? ValueAt<Inner, Name>
    : never
  : Field extends keyof P
    ? ValueOf<P[Field]>
    : never;

type Verb = 'add' | 'change';

/** Names are parsed where they are looked up. */
type Sent<Value> = Value extends { readonly is: string }
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value]: Sent<Value[Name]> }
    : Value;

type Shown = string | readonly string[] | undefined;

/** What differs from what the schema says. */
export interface Special<Value = unknown, Thing = unknown> {
  /** The name of the option, if it is not that of the field. */
  readonly option?: string;
  /** What follows the option. */
  readonly value?: string;
  /** What the option with `no-` is for. */
  readonly none?: string;
  readonly on?: Verb;
  /** Why there is no option. */
  readonly not?: string;
  /** Options by hand, and what they say. */
  readonly options?: Inputs;
  of?(given: object, before: Value | undefined): Sent<Value> | undefined;
  readonly label?: string;
  /** A list has the number of several lines. Undefined: it is left out. */
  shown?(value: Value | undefined, thing: Thing): Shown;
}

interface Field {
  /** Such as `flows.device`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly schema: Keywords;
  /** The value of a new thing. */
  readonly initial: unknown;
  readonly isNeeded: boolean;
  /** Without a value, something else counts, such as a setting of the server. */
  readonly isOverride: boolean;
  readonly special: Special;
}

export interface Fields<Thing> {
  readonly optionsOf: (verb: Verb) => Inputs;
  /** What there was before, with what was given instead. */
  readonly body: (given: object, before?: Thing) => object;
  readonly record: (thing: Thing) => Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly row: (thing: Thing) => readonly string[];
}

/** `listed`: the columns of a list. `initial`: of a new thing, instead of the defaults of the schema. */
export function fieldsOf<P extends Properties>(
  schema: ObjectSchema<P>,
  special: { readonly [Name in FieldOf<P>]?: Special<ValueAt<P, Name>, ValueOf<ObjectSchema<P>>> },
  listed: readonly FieldOf<P>[],
  initial: Partial<ValueOf<ObjectSchema<P>>> = {},
): Fields<ValueOf<ObjectSchema<P>>> {
  const fields = fieldsIn(schema as Keywords, special as Readonly<Record<string, Special>>, initial);
  const columns = listed.flatMap((name) => fields.filter((field) => field.name === name));
  return {
    optionsOf: (verb) => Object.assign({}, ...fields.map((field) => optionsOf(field, verb))),
    body: (given, before) => bodyOf(fields, given, before ?? initial),
    record: (thing) => Object.fromEntries(fields.flatMap((field) => linesOf(field, thing))),
    columns: columns.map(labelOf),
    row: (thing) => columns.map((field) => cellOf(shownOf(field, thing))),
  };
}

function cellOf(shown: Shown): string {
  return typeof shown === 'object' ? String(shown.length) : (shown ?? '');
}

/** Options by hand, and what they say of a field. */
export function byHand<O extends Inputs, Value, Before>(
  options: O,
  of: (given: Given<O>, before: Before) => Value,
): { readonly options: O; of(given: object, before: Before): Value } {
  return { options, of };
}

function fieldsIn(
  { properties = {}, required }: Keywords,
  special: Readonly<Record<string, Special>>,
  initial: unknown,
  outer: readonly string[] = [],
): Field[] {
  return Object.entries(properties).flatMap(([own, schema]) => {
    const [path, first] = [[...outer, own], at(initial, [own])];
    if (schema.properties) return fieldsIn(schema, special, first, path);
    const name = path.join('.');
    const [isInner, start] = [outer.length > 0, first ?? schema.default];
    const isNeeded = !isInner && first === undefined && required?.includes(own) === true;
    const isOverride = isInner && start === undefined && required?.includes(own) !== true;
    return { name, path, schema, initial: start, isNeeded, isOverride, special: special[name] ?? {} };
  });
}

function at(thing: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], thing);
}

function optionName({ path, special: { option = path.at(-1) ?? '' } }: Field): string {
  return option;
}

function optionsOf(field: Field, verb: Verb): Inputs {
  const { schema, special, isNeeded } = field;
  if (schema.readOnly || special.not !== undefined || (special.on ?? verb) !== verb) return {};
  if (special.options) return special.options;
  const input = inputOf(field, aboutOf(field, verb));
  if (verb === 'change') return { [optionName(field)]: field.isOverride ? orDefault(input) : input };
  return { [optionName(field)]: isNeeded ? needed(input) : input };
}

/** The first sentence of its description, and what is usual, or that a list is replaced or a value can go. */
function aboutOf({ schema, initial, isOverride }: Field, verb: Verb): string {
  const [sentence = ''] = (schema.description ?? '').split(/\.(?: |$)/);
  const usual = textOf(schema, initial);
  const onAdd = usual ? ` (default: ${usual})` : '';
  const onChange = isOverride ? `; or ${DEFAULT}` : schema.items && !schema.items.enum ? '; replaces all' : '';
  const about = sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  return about + (verb === 'add' ? onAdd : onChange);
}

function inputOf(field: Field, about: string): Input {
  const { path, schema, special } = field;
  const { type, format, items, minItems = 0 } = schema;
  const lastWordOf = (name = '') => inWords(name, ' ').split(' ').at(-1);
  const { value = `<${lastWordOf(items?.enum ? path.at(-1) : optionName(field))}${items?.enum ? '...' : ''}>` } =
    special;
  const none = special.none ?? (items?.type === 'string' && !items.enum && minItems === 0 ? 'none' : undefined);
  const orNot = <T>(input: Input<T>) => (none === undefined ? input : orNone(none, input));
  if (items?.enum) return orNot(someOf(value, items.enum, about));
  if (schema.enum) return oneOf(value, schema.enum, about);
  if (items?.type === 'string') return orNot(texts(value, about));
  if (type === 'string') return orNot(text(value, about));
  if (type === 'boolean') return yesNo(about, special.value);
  if (type === 'integer') return format === 'seconds' ? duration(about) : count(about);
  return json(about);
}

function bodyOf(fields: readonly Field[], given: object, before: object): object {
  return fields.reduce((made, field) => {
    const value = givenFor(field, given, before);
    const isReset = field.isOverride && value === DEFAULT;
    return value === undefined ? made : withMember(made, field.path, isReset ? undefined : value);
  }, before);
}

function givenFor(field: Field, given: object, before: object): unknown {
  const { path, schema, special } = field;
  if (special.of) return special.of(given, at(before, path));
  if (special.not !== undefined) return undefined;
  const value = at(given, [optionName(field)]);
  const isNone = value === false && schema.type !== 'boolean';
  return isNone ? (schema.items ? [] : '') : value;
}

function withMember(thing: object, [name = '', ...inner]: readonly string[], value: unknown): object {
  const former = at(thing, [name]) ?? {};
  return { ...thing, [name]: inner.length === 0 ? value : withMember(former, inner, value) };
}

function labelOf({ path, special }: Field): string {
  return special.label ?? inWords(path.at(-1) ?? '', ' ');
}

function linesOf(field: Field, thing: unknown): [label: string, text: string][] {
  const [label, shown] = [labelOf(field), shownOf(field, thing)];
  if (typeof shown === 'string') return [[label, shown]];
  return (shown ?? []).map((line, place) => [`${label} ${place + 1}`, line]);
}

function shownOf({ path, schema, special }: Field, thing: unknown): Shown {
  const value = at(thing, path) ?? schema.default;
  return special.shown ? special.shown(value, thing) : textOf(schema, value);
}

function textOf({ format }: Keywords, value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (format === 'seconds' && typeof value === 'number') return formatDuration(seconds(value));
  if (Array.isArray(value)) return value.map((item) => textOf({}, item)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
