// Walks a published JSON Schema, constraint by constraint, and asks what enforces it: a value outside is one that this
// constraint alone forbids. All of it is made from the schema, and an independent validator judges it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Seeded } from '../seeded.ts';

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

export interface Published {
  /** Where it is published, for the report. */
  readonly name: string;
  readonly schema: Shape;
  /** An allowed value to begin with. Without it: what the schema requires, alone. */
  readonly base?: unknown;
  readonly supply?: Supply;
  /** Not everything can be put into a header or a query. */
  readonly isSendable?: (value: never) => boolean;
  /** Why it is refused; undefined if it is accepted. */
  readonly refusal: (value: never) => Promise<string | undefined>;
  /** Refusals that the schema does not speak of: of what else is there, or of two things together. */
  readonly elsewhere?: readonly RegExp[];
}

export interface Walk {
  /** Constraints that refused a value which nothing else forbids, beside a value that was accepted there. */
  readonly exercised: string[];
  readonly unexercised: string[];
  readonly wrong: string[];
}

/** Says what is allowed or not, and of which constraint. */
const ANNOTATIONS = /^(?:title|description|default|examples|readOnly|writeOnly|\$schema|x-.*|if|properties|items)$/;
const MIXED = 40;
/** `few`: of each constraint. */
const FEW = 2;

type Object_ = Readonly<Record<string, unknown>>;

/** A part of the schema, and how a value of it becomes a whole one. */
interface Place {
  readonly at: string;
  readonly node: Shape;
  readonly local: unknown;
  readonly whole: (value: unknown) => unknown;
}

export async function walk(published: Published, howMany: 'few' | 'all'): Promise<Walk> {
  const { name, schema, supply = {}, base = plainest(schema, supply), isSendable = () => true, refusal } = published;
  const { elsewhere = [] } = published;
  const judge = judgeWith(supply);
  const isAllowed = judge(schema);
  const found: Walk = { exercised: [], unexercised: [], wrong: [] };
  const answers = new Map<string, Promise<string | undefined>>();
  const ask = (value: unknown) => {
    const text = JSON.stringify(value);
    const answer = answers.get(text) ?? refusal(value as never);
    answers.set(text, answer);
    return answer;
  };
  if (!isAllowed(base)) throw new Error(`${name}: the base is not allowed: ${JSON.stringify(isAllowed.errors)}`);
  for (const place of placesIn({ at: name, node: schema, local: base, whole: (value) => value }, supply, judge)) {
    const values = candidates(place, supply, judge).filter((value) => isSendable(place.whole(value) as never));
    const inside = values.filter((value) => isAllowed(place.whole(value)));
    const outside = values.filter((value) => !isAllowed(place.whole(value)));
    let accepted = 0;
    for (const value of howMany === 'all' ? inside : telling(inside, place.node)) {
      const refused = await ask(place.whole(value));
      if (refused === undefined) accepted += 1;
      else if (!elsewhere.some((rule) => rule.test(refused)))
        found.wrong.push(`${place.at}: refuses ${shown(value)}: ${refused}`);
    }
    const asked = new Set<unknown>();
    for (const [constraint, rest] of constraintsOf(place.node, supply)) {
      const isElse = judge(rest);
      const only = outside.filter((value) => isElse(value));
      for (const value of howMany === 'all' ? only : only.slice(0, FEW)) asked.add(value);
      (accepted > 0 && only.length > 0 ? found.exercised : found.unexercised).push(`${place.at} ${constraint}`);
    }
    for (const value of howMany === 'all' ? outside : asked)
      if ((await ask(place.whole(value))) === undefined) found.wrong.push(`${place.at}: accepts ${shown(value)}`);
  }
  return found;
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 200);

/** Those of an enum, and of the rest the first and the last. */
function telling(inside: readonly unknown[], { enum: choices }: Shape): readonly unknown[] {
  return choices ? inside : [...new Set([...inside.slice(0, FEW), ...inside.slice(-FEW)])];
}

type Judge = (schema: Shape) => ValidateFunction;

/** Says whether a value is allowed. Every setting of one form is judged by one function. */
function judgeWith(supply: Supply): Judge {
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
function constraintsOf(node: Shape, supply: Supply): [constraint: string, rest: Shape][] {
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
    ...words.map(([word]): [string, Shape] => [word, without(node as Object_, word)]),
  ];
}

function* placesIn(place: Place, supply: Supply, judge: Judge): Generator<Place> {
  yield place;
  const { at, node, local, whole } = place;
  const members = typeof local === 'object' && local !== null ? (local as Object_) : {};
  const below = (name: string, child: Shape, value: unknown, more: (value: unknown) => unknown): Place => ({
    at: `${at}/${name}`,
    node: child,
    local: value === undefined ? plainest(child, supply) : value,
    whole: (each) => whole(more(each)),
  });
  for (const [name, child] of Object.entries(node.properties ?? {}))
    if (!child.readOnly)
      yield* placesIn(
        below(name, child, members[name], (value) => withMember(members, name, value)),
        supply,
        judge,
      );
  const { items, additionalProperties: others } = node;
  if (items) {
    const [first, ...rest] = Array.isArray(local) ? local : [];
    yield* placesIn(
      below('[]', items, first, (value) => [value, ...rest]),
      supply,
      judge,
    );
  }
  if (typeof others === 'object') {
    const name = textFor(node.propertyNames ?? {}) || 'a';
    yield* placesIn(
      below('{}', others, members[name], (value) => withMember(members, name, value)),
      supply,
      judge,
    );
  }
  for (const [number, child] of [...(node.anyOf ?? []), ...(node.oneOf ?? [])].entries()) {
    const own = judge(child)(local) ? local : undefined;
    yield* placesIn(
      below(`(${number})`, child, own, (value) => value),
      supply,
      judge,
    );
  }
}

/** At the limits of the schema, inside and outside. */
function candidates({ node, local }: Place, supply: Supply, judge: Judge): unknown[] {
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
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e15,
  Number.MAX_SAFE_INTEGER,
  1e300,
  '',
  'text',
  [],
  ['x'],
  {},
  { x: 1 },
];

/** Each limit of a length is tried with texts that are otherwise allowed, and each allowed text with strange letters. */
function texts(node: Shape, given: readonly unknown[], supply: Supply, judge: Judge): string[] {
  const { format = '', minLength, maxLength, pattern = '' } = node;
  const real = [...given.filter((each) => typeof each === 'string'), ...(supply[format] ?? [])];
  const { minLength: _, maxLength: __, ...unlimited } = node;
  const fits = judge(unlimited);
  const seeds = [...real, ...TEXTS].filter((text) => text.length < 100 && fits(text)).slice(0, 3);
  const inPattern = [...pattern.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, least, most]) => [
    Number(least),
    Number(most),
  ]);
  const limits = [minLength, maxLength, ...inPattern].filter((limit) => limit !== undefined && limit < 20_000);
  const lengths = distinct(limits.flatMap((limit = 0) => [limit, limit + 1, limit - 1])).filter((length) => length > 0);
  const grown = seeds.flatMap((seed) => lengths.flatMap((length) => ofLength(seed, length)));
  const strange = seeds
    .slice(0, 2)
    .flatMap((seed) => STRANGE.flatMap((letter) => [letter + seed, seed + letter, between(seed, letter)]));
  const cut = seeds.flatMap((seed) => [seed.slice(1), seed.slice(0, -1), seed.toUpperCase(), seed + seed]);
  return [...real, ...grown, ...TEXTS, ...cut, ...strange];
}

/** In characters, as JSON Schema counts; the longer ones by repeating each of its characters, or another. */
function ofLength(seed: string, length: number): string[] {
  const letters = Array.from(seed);
  if (letters.length >= length) return [letters.slice(0, length).join('')];
  const missing = length - letters.length;
  return letters.flatMap((letter, at) => [
    [...letters.slice(0, at), letter.repeat(missing), ...letters.slice(at)].join(''),
    [...letters.slice(0, at + 1), 'a'.repeat(missing), ...letters.slice(at + 1)].join(''),
    [...letters.slice(0, at + 1), '\u{1f600}'.repeat(missing), ...letters.slice(at + 1)].join(''),
  ]);
}

function between(text: string, letter: string): string {
  const half = Math.floor(text.length / 2);
  return text.slice(0, half) + letter + text.slice(half);
}

const STRANGE = [
  ...' \t\n\r\0\u001f\u007f\u0085\u00a0\u00e4\u0661\u200b\u202e\u2028\ufeff"\'<>`\\/?#%@:;,.*+~$!&=()[]{}|^A0-_',
  '\u{1f600}',
  '\ud800',
];
/** Texts at and beyond the limits of what services usually take. */
const TEXTS = [
  ...[
    'a',
    'Z',
    '0',
    ' ',
    '-',
    '.',
    '*',
    '/',
    '/a',
    ':',
    ';',
    '{/sub}',
    '{/sub}{/x}',
    '{}',
    'a b',
    ' a',
    'a\n',
    '\u0000',
  ],
  ...[
    '\u202e',
    '\ud800',
    '\u00e4',
    '\u{1f600}',
    '<b>',
    '"',
    '`',
    '\\',
    "'",
    'true',
    'null',
    'nobody',
    'local',
    'LOCAL',
  ],
  ...['tessera', 'Tessera', 'everyone', 'a:b', 'a:read', 'a:read,write;b', 'a:read;', 'a:Read', 'a::b', '@', 'a@b@c'],
  ...['api://x/.default', 'ops@a.example', 'urn:a', 'spiffe://a', 'https://a.example', 'https://a.example/b?c=d'],
  ...[
    'https://a.example/#e',
    'https://A.example/',
    'https://u:p@a.example/',
    'https://',
    'HTTPS://a',
    'http://a.example',
  ],
  ...['http://localhost:1', 'http://127.0.0.1/a', 'com.example.app:/a', 'com.example.app://a', 'javascript:1'],
  ...['ftp://a.example/', '10.0.0.0/8', '10.0.0.0/33', '10.0.0', '::1', 'fd00::/8', 'fe80::1%eth0', '::ffff:10.0.0.1'],
  ...['1.2.3.4', '2.5.29.32.0', '3.1', '1.02', '2026-11-18', '2026-11-18T03:00Z', '2026-13-01', '2026-11-18T25:00'],
  ...[
    '"1"',
    'W/"1"',
    '""',
    '-----BEGIN CERTIFICATE-----',
    '{"keys":[]}',
    'https://~',
    '0s',
    '1h',
    '::/0',
    '999999999d',
  ],
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
  const base = (typeof local === 'object' && local !== null ? local : {}) as Object_;
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
    const place = { at: '', node: member, local: plainest(member, supply), whole: (value: unknown) => value };
    const values = member.properties ? [plainest(member, supply)] : candidates(place, supply, judge);
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
  if (type === 'string') return supply[format]?.[0] ?? textFor(schema);
  if (type === 'integer') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => plainest(schema.items ?? {}, supply));
  return Object.fromEntries(required.map((name) => [name, plainest(properties[name] ?? {}, supply)]));
}

const JUDGE = judgeWith({});

function textFor(schema: Shape): string {
  const fits = JUDGE({ ...schema, type: 'string' });
  return TEXTS.find((text) => fits(text)) ?? ofLength('a', schema.minLength ?? 1)[0] ?? '';
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}

function withMember(object: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true });
}

function without(object: Object_, name: string): Object_ {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}
