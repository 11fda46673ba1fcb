// Places in the schema and in a tree of settings, by path.
import type { Node, Path } from './read.ts';

export interface SettingPlace {
  readonly path: Path;
  readonly node: Node;
}

/** Every place that an environment variable can set: single settings, and lists of groups as a whole. */
export function settingPlaces(node: Node, path: Path = []): SettingPlace[] {
  if (!node.properties) return [{ path, node }];
  return Object.entries(node.properties).flatMap(([key, child]) => settingPlaces(child, [...path, key]));
}

export function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => node && childOf(node, key), root);
}

function childOf({ items, properties, oneOf }: Node, key: string | number): Node | undefined {
  if (items && typeof key === 'number') return items;
  if (oneOf) return oneOf.map((group) => childOf(group, key)).find((child) => child !== undefined);
  return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Sets a value in the tree. Every step of the path is known to the schema. A list that was not given begins as its default. */
export function setAt(tree: Record<string, unknown>, root: Node, path: Path, value: unknown): void {
  let place = tree as Record<string | number, unknown>;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const fallback = nodeAt(root, path.slice(0, depth + 1))?.default ?? {};
    const next = place[key];
    place[key] = typeof next === 'object' && next !== null ? next : structuredClone(fallback);
    place = place[key] as Record<string | number, unknown>;
  }
  place[path.at(-1) ?? ''] = value;
}

/** `listeners.0.port` as a path. */
export function parsePath(text: string): Path {
  return text.split('.').map((key) => (/^[0-9]{1,3}$/.test(key) ? Number(key) : key));
}
