// A setting is a piece of the schema. Besides its type it carries the text for the reference page, for editors and for
// error messages. `kind` says how its text is decoded into the value that the program holds (decode.ts).

import { DURATION_PATTERN, formatDuration } from '../core/duration.ts';
import type { Seconds } from '../core/time.ts';
import {
  boolean,
  described,
  integer,
  list,
  type ObjectSchema,
  object,
  optional,
  type Schema,
  string,
  type ValueOf,
} from '../schema.ts';
import type { StoreAddress } from './store-address.ts';

export interface Words {
  /** What it does, for the operator. */
  readonly description: string;
  /** Without a default the setting may be absent, unless it is required. */
  readonly default?: unknown;
  readonly example?: unknown;
}

export interface SettingNotes {
  readonly description: string;
  readonly expected: string;
  readonly kind?: Kind;
  readonly default?: unknown;
  readonly examples: readonly unknown[];
}

export type Kind = 'duration' | 'path' | 'store' | 'keyring' | 'url';

export type KeyringSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'variable'; readonly name: string };

function notes(expected: string, { description, default: value, example }: Words, kind?: Kind) {
  const own = { ...(kind && { kind }), ...(value !== undefined && { default: value }) };
  const shown = example ?? writtenDefault(own);
  return { description, expected, examples: shown === undefined ? [] : [shown], ...own };
}

/** The default as an operator would write it. The default of a rule's duration is in seconds, as the rule holds it. */
export function writtenDefault({ kind, default: value }: Pick<Partial<SettingNotes>, 'kind' | 'default'>): unknown {
  return kind === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
}

export function duration(words: Words) {
  const text = { type: 'string', pattern: DURATION_PATTERN } as const;
  const number = { type: 'integer', minimum: 0 } as const;
  const expected = 'a duration such as 90d, 12h, 15m or 60s, or a number of seconds, at most 50 years';
  return described<Seconds>({ anyOf: [text, number], ...notes(expected, words, 'duration') });
}

export function whole(minimum: number, maximum: number, words: Words) {
  return integer({ minimum, maximum, ...notes(`a whole number from ${minimum} to ${maximum}`, words) });
}

export function flag(words: Words) {
  return boolean(notes('true or false', words));
}

export function choice<const Values extends readonly string[]>(values: Values, words: Words) {
  return described<Values[number]>({ enum: values, ...notes(`one of ${values.join(', ')}`, words) });
}

export function choices<const Values extends readonly string[]>(values: Values, words: Words) {
  const items = { enum: values };
  const expected = `a list of ${values.join(', ')}`;
  return described<readonly Values[number][]>({
    anyOf: [{ type: 'array', minItems: 1, uniqueItems: true, items }],
    ...notes(expected, words),
  });
}

export function text(expected: string, pattern: string, words: Words) {
  return string({ pattern, ...notes(expected, words) });
}

export function texts(expected: string, pattern: string, words: Words) {
  const list = { type: 'array', items: { type: 'string', pattern } } as const;
  return described<readonly string[]>({ anyOf: [list], ...notes(expected, words) });
}

/** Refused: ~ and variables, which only a shell expands, other names in angle brackets, spaces at an end, and control characters. */
const PATH = '(?!~| )(?!.* $)(?!<(?!dataFolder>))(?!.*\\$[A-Za-z{])[^\\u0000-\\u001f]+';
const LITERAL = 'without ~ or variables';

/** A file or folder, relative to the folder of the configuration file. */
export function path(words: Words) {
  const expected = `a path, relative to the configuration file, ${LITERAL}`;
  return string({ pattern: `^${PATH}$`, ...notes(expected, words, 'path') });
}

export function url(words: Words) {
  return string({
    pattern: '^https?://[^\\s/?#@]+/?$',
    ...notes('https:// and a name in lower case, without a path', words, 'url'),
  });
}

export function storeAddress(words: Words) {
  const expected = 'sqlite:PATH or postgres://…';
  return described<StoreAddress>({
    type: 'string',
    pattern: `^(sqlite:(?!:)${PATH}|postgres(ql)?://.+)$`,
    ...notes(expected, words, 'store'),
  });
}

export function keyringSource(words: Words, what = 'the keyring') {
  const expected = `a path, relative to the configuration file, ${LITERAL}, or env:NAME for a variable that contains ${what}`;
  const pattern = `^(?!env:$)${PATH}$`;
  return described<KeyringSource>({ type: 'string', pattern, ...notes(expected, words, 'keyring') });
}

/** A group of settings. If absent, every setting in it has its default. */
export function section<Settings extends Record<string, Schema>>(description: string, settings: Settings) {
  return object(settings, { description, additionalProperties: false, default: {} });
}

/** A group of settings that may be absent as a whole, and then has no defaults. */
export function optionalSection<Settings extends Record<string, Schema>>(description: string, settings: Settings) {
  return optional(object(settings, { description, additionalProperties: false }));
}

/** Entries of which there may be none, and usually are. Their setting `kind` says which settings an entry has; by default, the first. */
export function optionalEntries<Kinds extends readonly Record<string, Schema>[]>(description: string, ...kinds: Kinds) {
  type Entry = { [Index in keyof Kinds]: ValueOf<ObjectSchema<Kinds[Index]>> }[number];
  const oneOf = kinds.map((settings) => object(settings, { additionalProperties: false }));
  return list(described<Entry>({ oneOf }), { description, default: [], examples: [[]] });
}

export function entries<Settings extends Record<string, Schema>>(
  description: string,
  settings: Settings,
  value: readonly unknown[],
) {
  const item = object(settings, { additionalProperties: false });
  return list(item, { description, minItems: 1, default: value, examples: [value] });
}
