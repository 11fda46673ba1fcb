// Reads a tree of settings against the schema: defaults applied, values decoded, every mistake named with its path.

import { isAbsolute, resolve } from 'node:path';
import { closest } from '../core/closest.ts';
import { formatDuration, parseDuration } from '../core/duration.ts';
import { objectOf } from '../core/json.ts';
import { fits } from '../schema.ts';
import type { Mistake } from './mistake.ts';
import type { KeyringSource, Kind, SettingNotes } from './setting.ts';
import { parseStoreAddress } from './store-address.ts';

/** The parts of a schema node that reading looks at. */
export interface Node extends Partial<SettingNotes> {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  /** Groups of settings, of which the setting `kind` chooses one. */
  readonly oneOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
}

interface Folders {
  /** The folder of the configuration file; the working folder where there is none. */
  readonly base: string;
  readonly data: string;
}

export interface Reading {
  readonly folders: Folders;
  readonly mistakes: Mistake[];
}

export type Path = readonly (string | number)[];

export function readNode(node: Node, value: unknown, path: Path, reading: Reading): unknown {
  if (node.oneOf) return readNode(ofKind(node.oneOf, value), value, path, reading);
  if (node.properties) return readSection(node, node.properties, value, path, reading);
  if (node.items) return readEntries(node.items, node.minItems ?? 0, value, path, reading);
  return readSetting(node, value, path, reading);
}

/** The group whose `kind` an entry has; the first if none of them. */
export function ofKind(groups: readonly Node[], entry: unknown): Node {
  const kind = objectOf(entry)?.['kind'];
  return groups.find(({ properties }) => properties?.['kind']?.enum?.includes(kind)) ?? (groups[0] as Node);
}

function readSection(
  node: Node,
  settings: Readonly<Record<string, Node>>,
  value: unknown,
  path: Path,
  reading: Reading,
): unknown {
  // A section whose settings are all commented out is null in YAML, and means its defaults.
  const given = objectOf(value ?? {});
  if (!given) return blameNoGroup(path, Object.keys(settings), value, reading);
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(settings, key)) blameUnknown([...path, key], Object.keys(settings), reading);
  }
  const known: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const own = given[key] ?? setting.default;
    if (given[key] === null && !(setting.properties && setting.default)) blameNoValue([...path, key], reading);
    else if (own !== undefined) known[key] = readNode(setting, own, [...path, key], reading);
    else if (node.required?.includes(key))
      blame([...path, key], `missing; expected ${setting.expected}`, reading, setting);
  }
  return known;
}

function readEntries(item: Node, least: number, value: unknown, path: Path, reading: Reading): unknown {
  if (!Array.isArray(value) || value.length < least) {
    return blame(path, `expected a list${least > 0 ? ' of at least one entry' : ''}; found ${shown(value)}`, reading);
  }
  return value.map((entry, index) =>
    entry === null ? blameNoValue([...path, index], reading) : readNode(item, entry, [...path, index], reading),
  );
}

function readSetting(node: Node, value: unknown, path: Path, reading: Reading): unknown {
  const decode = node.kind && DECODERS[node.kind];
  const known = fits(node, value) ? (decode ? decode(value, reading.folders) : value) : undefined;
  const outside = known === undefined ? undefined : whyOutside(known, node);
  if (outside !== undefined) return blame(path, outside, reading, node);
  if (known !== undefined) return known;
  if (Array.isArray(value) && node.entry !== undefined) return blameList(node, node.entry, value, path, reading);
  const found = SECRET_KINDS.includes(node.kind) ? '' : `; found ${shown(value)}`;
  return blame(path, `expected ${node.expected}${found}`, reading, node);
}

function blameList(node: Node, entry: string, value: readonly unknown[], path: Path, reading: Reading): undefined {
  const { items = {}, minItems = 0 } = node.anyOf?.[0] ?? {};
  const wrong = [...value.keys()].filter((index) => !fits(items, value[index]));
  for (const index of wrong) blame([...path, index], `expected ${entry}; found ${shown(value[index])}`, reading, node);
  if (wrong.length > 0) return undefined;
  if (value.length < minItems)
    return blame(path, `name at least one ${entry.replace(/^(?:an?|one) /, '')}`, reading, node);
  return blame(path, `expected ${node.expected}; found ${shown(value)}`, reading, node);
}

/** Undefined if the value is not of this kind. */
type Decode = (value: unknown, folders: Folders) => unknown;

const DECODERS: Readonly<Record<Kind, Decode>> = {
  duration: parseDuration,
  path: (value, folders) => absolute(String(value), folders),
  store: (value, folders) => parseStoreAddress(String(value), (path) => absolute(path, folders)),
  keyring: (value, folders) => decodeKeyring(String(value), folders),
  url: (value) => URL.parse(String(value))?.origin,
};

/** Settings whose text may contain a password: messages do not repeat it. */
const SECRET_KINDS: readonly (Kind | undefined)[] = ['store'];

export function absolute(path: string, { base, data }: Folders): string {
  const named = path.replace(/^<dataFolder>/, data);
  return isAbsolute(named) ? named : resolve(base, named);
}

function decodeKeyring(text: string, folders: Folders): KeyringSource {
  if (!text.startsWith('env:')) return { from: 'file', path: absolute(text, folders) };
  return { from: 'variable', name: text.slice('env:'.length) };
}

/** Of a duration. */
function whyOutside(value: unknown, { least = 0, most = Number.POSITIVE_INFINITY }: Node): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (value > most) return `expected at most ${formatDuration(most)}`;
  if (value >= least) return undefined;
  return least === 1 ? 'expected more than 0' : `expected at least ${formatDuration(least)}`;
}

function blame(path: Path, problem: string, { mistakes }: Reading, node?: Node, todo?: string): undefined {
  const [example] = node?.examples ?? [];
  const name = path.findLast((step) => typeof step === 'string');
  const words = example === undefined ? {} : { example: `${name}: ${inYaml(example)}` };
  mistakes.push({ path: path.join('.'), problem, ...words, ...(todo !== undefined && { todo }) });
  return undefined;
}

function blameNoGroup(path: Path, names: readonly string[], value: unknown, reading: Reading): undefined {
  const problem = `expected a group of settings (${names.join(', ')}); found ${shown(value)}`;
  return blame(path, problem, reading, undefined, lacksSpace(value) ? SPACE_AFTER_COLON : undefined);
}

export const SPACE_AFTER_COLON = 'Write a space after the colon: name: value';

/** `name:value` is one text in YAML. */
export function lacksSpace(value: unknown): boolean {
  return typeof value === 'string' && /^\w+:\S/.test(value);
}

function blameNoValue(path: Path, reading: Reading): undefined {
  const todo =
    'Give it one, or leave the setting out. In YAML, a value that begins with # needs quotes: # begins a comment.';
  return blame(path, 'it has no value', reading, undefined, todo);
}

function blameUnknown(path: Path, candidates: readonly string[], reading: Reading): void {
  const near = closest(String(path.at(-1)), candidates);
  blame(path, `no such setting.${near ? ` Did you mean ${near}?` : ` There are: ${candidates.join(', ')}`}`, reading);
}

/** One line of YAML: JSON is YAML, and a plain word needs no quotes. */
export function inYaml(value: unknown): string {
  if (typeof value === 'string')
    return /^[A-Za-z/.<][^#]*$/.test(value) || /^\d+[a-z]$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
