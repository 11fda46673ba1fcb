import type { Node } from './read.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import { writtenDefault } from './setting.ts';

/** The schema for editors: settings with a default are not required, and our own notes are left out. */
export function configJsonSchema(): unknown {
  const schema = cleaned(CONFIG_SCHEMA as Node) as Record<string, unknown>;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'tessera.yaml', ...schema };
}

function cleaned(node: Node): unknown {
  const { expected: _, kind: __, required, properties, items, oneOf, ...rest } = node;
  const needed = required?.filter((key) => properties?.[key]?.default === undefined) ?? [];
  const value = writtenDefault(node);
  return {
    ...rest,
    ...(value !== undefined && { default: value }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: cleaned(items) }),
    ...(oneOf && { oneOf: oneOf.map(cleaned) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, cleaned(child)])),
    }),
  };
}
