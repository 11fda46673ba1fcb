/** The JSON Schema keywords that single settings use. */
interface Keywords {
  readonly type?: string;
  readonly anyOf?: readonly Keywords[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Keywords;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
}

type Rules = { readonly [Word in keyof Keywords]-?: (bound: NonNullable<Keywords[Word]>, value: unknown) => boolean };

const RULES: Rules = {
  type: (name, value) => typeOf(value) === name,
  anyOf: (schemas, value) => schemas.some((schema) => fits(schema, value)),
  enum: (values, value) => values.includes(value),
  pattern: (pattern, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minLength: (length, value) => typeof value !== 'string' || value.length >= length,
  minimum: (least, value) => typeof value !== 'number' || value >= least,
  maximum: (most, value) => typeof value !== 'number' || value <= most,
  items: (item, value) => !Array.isArray(value) || value.every((entry) => fits(item, entry)),
  minItems: (length, value) => !Array.isArray(value) || value.length >= length,
  uniqueItems: (_, value) => !Array.isArray(value) || new Set(value).size === value.length,
};

/** Whether a value satisfies the schema of its setting. */
export function fits(schema: Keywords, value: unknown): boolean {
  return Object.entries(RULES).every(([word, holds]) => {
    const bound = schema[word as keyof Keywords];
    return bound === undefined || (holds as (bound: unknown, value: unknown) => boolean)(bound, value);
  });
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
