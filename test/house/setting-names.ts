// The names of all settings, from the schema.
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';

type Node = { readonly properties?: Record<string, Node>; readonly items?: Node; readonly oneOf?: readonly Node[] };

function settingPathsOf(node: Node, path: string): string[] {
  if (node.items) return [path, ...settingPathsOf(node.items, `${path}.[]`)];
  if (node.oneOf) return node.oneOf.flatMap((group) => settingPathsOf(group, path));
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    settingPathsOf(child, path ? `${path}.${key}` : key),
  );
  return [path, ...below];
}

/** Paths such as `tokens.onReuse`; an item of a list is `[]`. */
export const SETTINGS = new Set(settingPathsOf(CONFIG_SCHEMA as Node, ''));
export const TOP = (CONFIG_SCHEMA as Node).properties ?? {};
export const SECTIONS = Object.keys(TOP).filter((key) => TOP[key]?.properties || TOP[key]?.items);
/** The variables of the environment that set them. */
export const SETTING_VARIABLES = new Set(
  [...SETTINGS].map(
    (path) =>
      `TESSERA_${path
        .replaceAll('.', '_')
        .replaceAll(/([A-Z])/g, '_$1')
        .toUpperCase()}`,
  ),
);
