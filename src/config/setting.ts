// A setting is a piece of the schema. Besides its type it carries the text for the reference page, for editors and for
// error messages. `kind` says how its text is decoded into the value that the program holds (read.ts).

import { ADDRESS_RANGE } from '../core/address-pattern.ts';
import type { AllowedHost } from '../core/client-document.ts';
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

/** The default, alone or with another example. Without a default the setting may be absent, unless it is required. */
type Usual = string | number | boolean | readonly unknown[] | UsualPair;
type UsualPair = { readonly default?: unknown; readonly example: unknown };

export interface SettingNotes {
  readonly description: string;
  readonly expected: string;
  /** What an entry of a list is expected to be. */
  readonly entry?: string;
  readonly kind?: Kind;
  readonly default?: unknown;
  readonly examples: readonly unknown[];
  /** The shortest and longest that a duration may be, in seconds. */
  readonly least?: number;
  readonly most?: number;
}

export type Kind = 'duration' | 'path' | 'store' | 'keyring' | 'url';

export type KeyringSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'variable'; readonly name: string };

/** For durations where zero would switch off a protection, or the feature. */
export const NOT_ZERO = { least: 1 };

/** `description`: what it does, for the operator. */
function notes(expected: string, description: string, usual?: Usual, kind?: Kind) {
  const { default: value, example } = isPair(usual) ? usual : { default: usual, example: undefined };
  const own = { ...(kind && { kind }), ...(value !== undefined && { default: value }) };
  const shown = example ?? writtenDefault(own);
  return { description, expected, examples: shown === undefined ? [] : [shown], ...own };
}

function isPair(usual: Usual | undefined): usual is UsualPair {
  return typeof usual === 'object' && !Array.isArray(usual);
}

/** The default as an operator would write it. The default of a rule's duration is in seconds, as the rule holds it. */
export function writtenDefault({ kind, default: value }: Pick<Partial<SettingNotes>, 'kind' | 'default'>): unknown {
  return kind === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
}

export function duration(description: string, usual?: Usual, within: Pick<SettingNotes, 'least' | 'most'> = {}) {
  const text = { type: 'string', pattern: DURATION_PATTERN } as const;
  const number = { type: 'integer', minimum: 0 } as const;
  const expected = 'a duration such as 90d, 12h, 15m or 60s, or a number of seconds, at most 50 years';
  return described<Seconds>({ anyOf: [text, number], ...notes(expected, description, usual, 'duration'), ...within });
}

export function whole([minimum, maximum]: readonly [number, number], description: string, usual?: Usual) {
  return integer({ minimum, maximum, ...notes(`a whole number from ${minimum} to ${maximum}`, description, usual) });
}

export function flag(description: string, usual?: Usual) {
  return boolean(notes('true or false', description, usual));
}

export function choice<const Values extends readonly string[]>(values: Values, description: string, usual?: Usual) {
  return described<Values[number]>({ enum: values, ...notes(`one of ${values.join(', ')}`, description, usual) });
}

export function choices<const Values extends readonly string[]>(
  values: Values,
  description: string,
  usual?: Usual,
  more = {},
) {
  const items = { enum: values };
  const names = values.join(', ');
  return described<readonly Values[number][]>({
    anyOf: [{ type: 'array', minItems: 1, uniqueItems: true, items, ...more }],
    ...notes(`a list of ${names}`, description, usual),
    entry: `one of ${names}`,
  });
}

export function text(expected: string, pattern: string, description: string, usual?: Usual) {
  return string({ pattern, ...notes(expected, description, usual) });
}

/** `entry`: what each is, and what several are. */
export function texts(
  [entry, several]: readonly [string, string],
  pattern: string,
  description: string,
  usual?: Usual,
  more: object = {},
) {
  const list = { type: 'array', items: { type: 'string', pattern }, ...more } as const;
  return described<readonly string[]>({ anyOf: [list], ...notes(`a list of ${several}`, description, usual), entry });
}

const DOCUMENT_HOST = { type: 'string', pattern: '^(\\*|[a-z0-9.-]+(:[0-9]{1,5})?)$' } as const;

/** A host alone, or with what its documents may do. */
export function documentHosts(description: string) {
  const redirects = { enum: ['own', 'listed'] } as const;
  const members = { properties: { host: DOCUMENT_HOST, redirects }, required: ['host', 'redirects'] };
  const host = { type: 'object', ...members, additionalProperties: false };
  const items = { anyOf: [DOCUMENT_HOST, host] };
  const expected = 'a list of host names, or * for all, or { host: NAME, redirects: listed }';
  return described<readonly (string | AllowedHost)[]>({
    anyOf: [{ type: 'array', items }],
    ...notes(expected, description, { default: [], example: ['agents.example.com'] }),
    entry: 'a host name, or * for all, or { host: NAME, redirects: listed }',
  });
}

export function networks(description: string, example: readonly string[], more?: object) {
  const words = ['an IP address or a network', 'IP addresses or networks'] as const;
  return texts(words, ADDRESS_RANGE, description, { default: [], example }, more);
}

/** Refused: ~ and variables, which only a shell expands, other names in angle brackets, spaces at an end, and control characters. */
const PATH = '(?!~| )(?!.* $)(?!<(?!dataFolder>))(?!.*\\$[A-Za-z{])[^\\u0000-\\u001f]+';
const LITERAL = 'without ~ or variables';

/** A file or folder, relative to the folder of the configuration file. */
export function path(description: string, usual?: Usual) {
  const expected = `a path, relative to the configuration file, ${LITERAL}`;
  return string({ pattern: `^${PATH}$`, ...notes(expected, description, usual, 'path') });
}

const HOST = 'A host as browsers read it; `http` is for loopback only.';

/** `URL` reads the host, and finds loopback in `127.1` too: the pattern refuses `http` only for what cannot be loopback. */
export function url(description: string, usual?: Usual) {
  return string({
    pattern: '^https?://[^\\s/?#@]+/?$',
    not: { type: 'string', pattern: '^http://(?:[A-Za-z0-9-]+\\.)+[A-Za-z]+(?:[:/]|$)' },
    ...notes('https:// and a name in lower case, without a path', `${description} ${HOST}`, usual, 'url'),
  });
}

export function storeAddress(description: string, usual?: Usual) {
  const expected = 'sqlite:PATH or postgres://…';
  return described<StoreAddress>({
    type: 'string',
    pattern: `^(sqlite:(?!:)${PATH}|postgres(ql)?://.+)$`,
    ...notes(expected, description, usual, 'store'),
  });
}

export function keyringSource(description: string, usual: Usual, what = 'the keyring') {
  const expected = `a path, relative to the configuration file, ${LITERAL}, or env:NAME for a variable that contains ${what}`;
  const pattern = `^(?!env:$)${PATH}$`;
  return described<KeyringSource>({ type: 'string', pattern, ...notes(expected, description, usual, 'keyring') });
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
