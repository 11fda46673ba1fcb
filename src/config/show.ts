import { stringify } from 'yaml';
import { formatDuration, LONGEST, patternWithin } from '../core/duration.ts';
import { type Node, ofKind } from './read.ts';
import { CONFIG_SCHEMA, type Config } from './schema.ts';
import { type KeyringSource, writtenDefault } from './setting.ts';
import { type StoreAddress, shownStore } from './store-address.ts';

/** The configuration in force, as it would be written in the file, without passwords. */
export function shownConfig(config: Config): unknown {
  return shown(CONFIG_SCHEMA as Node, config);
}

export function shownYaml(config: unknown): string {
  return stringify(config, { lineWidth: 0 });
}

function shown(node: Node, value: unknown): unknown {
  if (node.oneOf) return shown(ofKind(node.oneOf, value), value);
  if (node.properties) {
    const record = value as Record<string, unknown>;
    const entries = Object.entries(node.properties).filter(([key]) => record[key] !== undefined);
    return Object.fromEntries(entries.map(([key, child]) => [key, shown(child, record[key])]));
  }
  const { items, kind } = node;
  if (items) return (value as unknown[]).map((entry) => shown(items, entry));
  if (kind === 'duration') return formatDuration(value as number);
  if (kind === 'store') return shownStore(value as StoreAddress);
  return kind === 'keyring' ? shownKeyring(value as KeyringSource) : value;
}

function shownKeyring(source: KeyringSource): string {
  return source.from === 'file' ? source.path : `env:${source.name}`;
}

/** The schema for editors: settings with a default are not required, and our own notes are left out. */
export function configJsonSchema(): unknown {
  const schema = cleaned(CONFIG_SCHEMA as Node) as Record<string, unknown>;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'tessera.yaml', ...schema };
}

function cleaned(node: Node): unknown {
  const { expected: _, entry: __, kind, least, most, required, properties, items, oneOf, ...rest } = node;
  const needed = required?.filter((key) => properties?.[key]?.default === undefined) ?? [];
  const value = writtenDefault(node);
  return {
    ...rest,
    ...(kind === 'duration' && { anyOf: durations(least, most) }),
    ...(value !== undefined && { default: value }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: cleaned(items) }),
    ...(oneOf && { oneOf: oneOf.map(cleaned) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, cleaned(child)])),
    }),
  };
}

/** With their limits, which the loader words by itself. */
function durations(least = 0, most: number = LONGEST) {
  return [
    { type: 'string', pattern: patternWithin(least, most) },
    { type: 'integer', minimum: least, maximum: most },
  ];
}
