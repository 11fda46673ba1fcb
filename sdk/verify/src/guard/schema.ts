// A JSON Schema that is also how the file is checked: the few words of that language that it uses.

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'number';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** Shown with a value that does not fit the pattern. */
  readonly examples?: readonly string[];
}

/** All mistakes, each with its place: `rules[2].scope is missing`. */
export function mistakesIn(value: unknown, schema: Schema, at = ''): string[] {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (schema.type && kind !== schema.type) return [`${at || 'the file'} must be of type ${schema.type}, not ${kind}`];
  if (kind === 'object') return inObject(value as Readonly<Record<string, unknown>>, schema, at);
  if (kind === 'array') return inArray(value as readonly unknown[], schema, at);
  if (kind === 'number' && (value as number) < (schema.minimum ?? Number.NEGATIVE_INFINITY))
    return [`${at} must be at least ${schema.minimum}`];
  return kind === 'string' ? inText(value as string, schema, at) : [];
}

function inObject(value: Readonly<Record<string, unknown>>, schema: Schema, at: string): string[] {
  const { properties = {}, required = [] } = schema;
  const below = (name: string) => (at ? `${at}.${name}` : name);
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${below(name)} is missing`),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known) return mistakesIn(inner, known, below(name));
      return [`${below(name)} is unknown. There are: ${Object.keys(properties).join(', ')}`];
    }),
  ];
}

function inArray(value: readonly unknown[], { items = {}, minItems = 0 }: Schema, at: string): string[] {
  if (value.length < minItems) return [`${at} must not be empty`];
  return value.flatMap((inner, index) => mistakesIn(inner, items, `${at}[${index}]`));
}

function inText(value: string, { enum: choices, pattern, examples = [] }: Schema, at: string): string[] {
  if (choices && !choices.includes(value)) return [`${at} must be one of ${choices.join(', ')}`];
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return [];
  return [`${at} must be like ${examples.join(' or ')}, not ${JSON.stringify(value)}`];
}
