// Merges the sources of settings: flags override the environment, which overrides the file.
import { parse } from 'yaml';
import { closest } from '../core/closest.ts';
import type { ConfigFile } from './file.ts';
import type { Mistake } from './mistake.ts';
import type { Node, Path } from './read.ts';

const PREFIX = 'TESSERA_';
/** Variables of ours that are not settings: where the file is, and the usual place for a keyring's text. */
const NOT_SETTINGS = ['TESSERA_CONFIG', 'TESSERA_KEYRING'];
/** Kubernetes gives every container such variables for a service that is named tessera. */
const INJECTED = /^TESSERA_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_.*)$|^TESSERA_PORT=\w+:\/\//;

export interface Layered {
  readonly tree: Record<string, unknown>;
  /** Which variable or flag set a path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly mistakes: readonly Mistake[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** A value that a variable or a flag sets, or why there is no such setting. */
type Override = { readonly place: SettingPlace; readonly text: string; readonly source: string } | Mistake;

export function layer(root: Node, file: ConfigFile | undefined, env: Env, sets: readonly string[]): Layered {
  const tree = file?.tree ?? {};
  const sources = new Map<string, string>();
  const mistakes: Mistake[] = [];
  for (const override of [...overridesByVariables(root, env), ...sets.map((set) => overrideByFlag(root, set))]) {
    if ('problem' in override) {
      mistakes.push(override);
      continue;
    }
    const { place, text, source } = override;
    const problem = setAt(tree, root, place.path, settingValue(place.node, text));
    if (problem !== undefined) mistakes.push({ path: '', problem, source });
    sources.set(pathText(place), source);
  }
  return { tree, sources, mistakes };
}

function overridesByVariables(root: Node, env: Env): Override[] {
  const variables = new Map(settingPlaces(root).map((place) => [variableOf(place), place]));
  return Object.entries(env).flatMap(([name, text]): readonly Override[] => {
    if (name === 'TESSERA_KEYRING' && PATH.test(text ?? '')) return [{ ...KEYRING_PATH, source: name }];
    if (text === undefined || !isOurs(name, text)) return [];
    const place = variables.get(name);
    return [place ? { place, text, source: name } : { ...noSuchSetting(name, [...variables.keys()]), source: name }];
  });
}

function overrideByFlag(root: Node, set: string): Override {
  const at = set.indexOf('=');
  if (at < 0) return { path: set, problem: 'expected PATH=VALUE', example: '--set log.level=debug', source: '--set' };
  const name = set.slice(0, at);
  const path = parsePath(name);
  const node = nodeAt(root, path);
  if (node) return { place: { path, node }, text: set.slice(at + 1), source: `--set ${name}` };
  return { ...noSuchSetting(name, settingPlaces(root).map(pathText)), source: `--set ${name}` };
}

/** The variable of a setting: `tokens.grantLifetime` is TESSERA_TOKENS_GRANT_LIFETIME. */
export function variableOf({ path }: SettingPlace): string {
  // TESSERA_KEYRING holds a keyring, so the variable that says where the keyring is has another name.
  if (path.join('.') === 'keyring') return 'TESSERA_KEYRING_FROM';
  const words = path.map((key) =>
    String(key)
      .replace(/[A-Z]/g, (letter) => `_${letter}`)
      .toUpperCase(),
  );
  return PREFIX + words.join('_');
}

function isOurs(name: string, text: string): boolean {
  const isInjected = INJECTED.test(name) || INJECTED.test(`${name}=${text}`);
  return name.startsWith(PREFIX) && !NOT_SETTINGS.includes(name) && !isInjected;
}

/** A keyring is JSON. */
const PATH = /^[./~]/;
const KEYRING_PATH: Mistake = {
  path: '',
  problem: 'found a path; this variable is for the keyring itself',
  example: 'TESSERA_KEYRING_FROM=/etc/tessera/keyring.json',
};

/** Values of text settings are taken literally; all others are parsed as YAML. */
function settingValue(node: Node, text: string): unknown {
  if (node.type === 'string') return text;
  try {
    return parse(text);
  } catch {
    return text; // not YAML: the schema refuses it and says what is expected
  }
}

function noSuchSetting(name: string, candidates: readonly string[]): Mistake {
  const near = closest(name, candidates);
  return { path: '', problem: `no such setting.${near ? ` Did you mean ${near}?` : ' See docs/configuration.md'}` };
}

function pathText({ path }: SettingPlace): string {
  return path.join('.');
}

export interface SettingPlace {
  readonly path: Path;
  readonly node: Node;
}

/** Every place that an environment variable can set: single settings, and lists of groups as a whole. */
export function settingPlaces(node: Node, path: Path = []): SettingPlace[] {
  if (!node.properties) return [{ path, node }];
  return Object.entries(node.properties).flatMap(([key, child]) => settingPlaces(child, [...path, key]));
}

function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => node && childOf(node, key), root);
}

function childOf({ items, properties, oneOf }: Node, key: string | number): Node | undefined {
  if (items && typeof key === 'number') return items;
  if (oneOf) return oneOf.map((group) => childOf(group, key)).find((child) => child !== undefined);
  return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/**
 * Sets a value in the tree, or returns why not: it would leave holes in a list. Every step of the path is known to the schema. A
 * list that was not given begins as its default.
 */
function setAt(tree: Record<string, unknown>, root: Node, path: Path, value: unknown): string | undefined {
  let place = tree as Record<string | number, unknown>;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(place) && Number(key) > place.length)
      return `there is no entry ${place.length} before it; entries are counted from 0`;
    if (depth === path.length - 1) break;
    const fallback = nodeAt(root, path.slice(0, depth + 1))?.default ?? {};
    const next = place[key];
    place[key] = typeof next === 'object' && next !== null ? next : structuredClone(fallback);
    place = place[key] as Record<string | number, unknown>;
  }
  place[path.at(-1) ?? ''] = value;
  return undefined;
}

/** `listeners.0.port` as a path. */
export function parsePath(text: string): Path {
  return text.split('.').map((key) => (/^[0-9]{1,3}$/.test(key) ? Number(key) : key));
}
