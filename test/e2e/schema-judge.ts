// JSON Schema, what it says, and whether a value satisfies it: by an independent validator.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Shape {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: Shape;
  readonly pattern?: string;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly if?: Shape;
  readonly readOnly?: boolean;
}

/** Real ones of what JSON Schema has no words for, by format. */
export type Supply = Readonly<Record<string, readonly string[]>>;

export type Members = Readonly<Record<string, unknown>>;

export type Judge = (schema: Shape) => ValidateFunction;

/** Says whether a value is allowed. Every setting of one form is judged by one function. */
export function judgeWith(supply: Supply): Judge {
  const real = Object.entries(supply).map(([format, texts]) => [format, (text: string) => texts.includes(text)]);
  const ajv = new Ajv2020({ strict: false, formats: { ...Object.fromEntries(real), ...UNJUDGED } });
  const known = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema, (word, value) =>
      SAID.includes(word) && typeof value !== 'object' ? undefined : value,
    );
    const found = known.get(text) ?? ajv.compile(JSON.parse(text));
    known.set(text, found);
    return found;
  };
}

const SAID = ['title', 'description', 'default'];
/** Other keywords beside them say the same. */
const UNJUDGED = { seconds: true, uri: true, 'date-time': true };

/** Each constraint of this node, and the node without it. */
export function constraintsOf(node: Shape, supply: Supply): [constraint: string, rest: Shape][] {
  const { required = [] } = node;
  const words = Object.entries(node).filter(
    ([word, value]) =>
      !ANNOTATIONS.test(word) &&
      word !== 'required' &&
      !(word === 'pattern' && value === '') &&
      !(word === 'type' && (node.enum ?? node.const) !== undefined) && // which say it
      !(word === 'additionalProperties' && value !== false) &&
      !(word === 'format' && !supply[String(value)]),
  );
  return [
    ...required.map((name): [string, Shape] => [
      `required ${name}`,
      { ...node, required: required.filter((other) => other !== name) },
    ]),
    ...words.map(([word]): [string, Shape] => [word, without(node as Members, word)]),
  ];
}

/** Says what is allowed or not, and of which constraint. */
const ANNOTATIONS = /^(?:title|description|default|examples|readOnly|writeOnly|\$schema|x-.*|if|properties|items)$/;

export function without(object: Members, name: string): Members {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}
