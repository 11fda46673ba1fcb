// Values for a schema, and values one step beside it: from the schema alone, and always the same.
import { Seeded } from '../seeded.ts';
import { type Judge, type Members, type Shape, type Supply, without } from './schema-judge.ts';
import { distinct, TEXTS, textFor, texts } from './schema-texts.ts';

const MIXED = 40;

/** At the limits of the schema, inside and outside. */
export function candidates(node: Shape, local: unknown, supply: Supply, judge: Judge): unknown[] {
  const { enum: choices = [], const: only, default: usual, examples = [], minimum = 0, maximum = 0 } = node;
  const given = [local, only, usual, ...choices, ...examples].filter((value) => value !== undefined);
  const isText = [node.type, ...choices.map((each) => typeof each), typeof only, typeof node.pattern].includes(
    'string',
  );
  return distinct([
    ...given,
    ...[minimum, maximum].flatMap((limit) => [limit, limit - 1, limit + 1]),
    ...(isText ? texts(node, given, supply, judge) : []),
    ...(node.items ? lists(node, local, supply) : []),
    ...(node.properties || node.additionalProperties ? objects(node, local, supply, judge) : []),
    ...OTHERS,
  ]);
}

const OTHERS = [
  ...[null, true, false, 0, 1, -1, 1.5, 1e15, Number.MAX_SAFE_INTEGER, 1e300],
  ...['', 'text', [], ['x'], {}, { x: 1 }],
];

const NAMES = ['', 'a', 'x y', '/sub', '/iss', '/a~2', 'local', 'nobody', '__proto__', 'constructor', 'unknown'];

function lists({ items = {}, minItems = 0, maxItems }: Shape, local: unknown, supply: Supply): unknown[] {
  const [one = plainest(items, supply)] = Array.isArray(local) ? local : [];
  const others = [...(items.enum ?? []), ...(items.pattern ? TEXTS : [])].map((each) => [each]);
  const lengths = [minItems - 1, minItems, 1, 2, ...(maxItems === undefined ? [] : [maxItems, maxItems + 1])];
  return [
    ...lengths.filter((length) => length >= 0).map((length) => Array(length).fill(one)),
    ...others,
    items.enum ?? [],
  ];
}

function objects(node: Shape, local: unknown, supply: Supply, judge: Judge): unknown[] {
  const { properties = {}, additionalProperties: others, maxProperties: most = 0, minProperties: least = 0 } = node;
  const base = (typeof local === 'object' && local !== null ? local : {}) as Members;
  const members = Object.entries(properties).filter(([, { readOnly }]) => !readOnly);
  const usual = members.flatMap(([name, { default: each }]) => (each === undefined ? [] : [[name, each]]));
  const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`/a${at}`, other]));
  const other = typeof others === 'object' ? plainest(others, supply) : 1;
  return [
    { ...base, unknown: 1 },
    { ...base, ...Object.fromEntries(usual) },
    ...Object.keys(base).map((name) => without(base, name)),
    ...members.map(([name, member]) => ({ [name]: base[name] ?? plainest(member, supply) })),
    ...(typeof others === 'object' ? NAMES.map((name) => withMember({}, name, other)) : []),
    ...[most, most + 1, least - 1, least].filter((count) => count >= 0).map(numbered),
    ...mixed(members, base, supply, judge),
  ];
}

/** Each member left out, or at random one of the values that it may have by itself. */
function mixed(members: readonly (readonly [string, Shape])[], base: object, supply: Supply, judge: Judge): object[] {
  const seeded = new Seeded(11);
  const choices = members.map(([name, member]) => {
    const fits = judge(member);
    const usual = plainest(member, supply);
    const values = member.properties ? [usual] : candidates(member, usual, supply, judge);
    return [name, values.filter((value) => fits(value))] as const;
  });
  return Array.from({ length: members.length > 1 ? MIXED : 0 }, () => {
    const chosen = choices.filter(([, from]) => from.length > 0 && seeded.chance(0.6));
    return { ...base, ...Object.fromEntries(chosen.map(([name, from]) => [name, seeded.pick(from)])) };
  });
}

/** A value that satisfies it, with what is required alone. */
export function plainest(schema: Shape, supply: Supply): unknown {
  const {
    const: only,
    enum: choices,
    default: usual,
    anyOf,
    oneOf,
    type,
    format = '',
    required = [],
    properties = {},
  } = schema;
  if (only !== undefined) return only;
  if (usual !== undefined && JSON.stringify(usual) !== '{}') return usual;
  if (choices) return choices[0];
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (anyOf ?? oneOf) return plainest((anyOf ?? oneOf)?.[0] ?? {}, supply);
  if (type === 'string' || schema.pattern !== undefined) return supply[format]?.[0] ?? textFor(schema);
  if (type === 'integer') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => plainest(schema.items ?? {}, supply));
  return Object.fromEntries(required.map((name) => [name, plainest(properties[name] ?? {}, supply)]));
}

export function withMember(object: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true });
}
