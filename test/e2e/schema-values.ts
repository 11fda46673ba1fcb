// Values for a JSON Schema, and values that are one step beside it: deterministic, from the schema alone. Whether a value
// satisfies it, an independent validator says.
import type { Seeded } from '../seeded.ts';
import { plainest } from './schema-candidates.ts';
import type { Shape, Supply } from './schema-judge.ts';

/** Real ones of what JSON Schema has no words for, by format. */

/** Texts at and beyond the limits of what services usually take. */
const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'Z',
    '0',
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
    '\u202e',
  ],
  ...[
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
    'tessera',
    'Tessera',
    'everyone',
  ],
  ...[
    'a:b',
    'a:read',
    'a:read,write;b',
    'a:read;',
    'a:Read',
    'a::b',
    ';',
    'api://x/.default',
    'ops@a.example',
    'a@b@c',
    '@',
    'urn:a',
    'spiffe://a',
  ],
  ...[
    'https://a.example',
    'https://a.example/b?c=d',
    'https://a.example/#e',
    'https://A.example/',
    'https://u:p@a.example/',
    'https://',
    'HTTPS://a',
  ],
  ...[
    'http://a.example',
    'http://localhost:1',
    'http://127.0.0.1/a',
    'com.example.app:/a',
    'com.example.app://a',
    'javascript:1',
    'ftp://a.example/',
  ],
  ...[
    '10.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0',
    '::1',
    'fd00::/8',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '1.2.3.4',
    '2.5.29.32.0',
    '3.1',
    '1.02',
  ],
  ...[
    '2026-11-18',
    '2026-11-18T03:00Z',
    '2026-13-01',
    '2026-11-18T25:00',
    '"1"',
    'W/"1"',
    '""',
    '-----BEGIN CERTIFICATE-----',
    '{"keys":[]}',
  ],
  ...[11, 12, 64, 65, 128, 129, 512, 513, 1000, 1001, 1024, 1025].map((length) => 'x'.repeat(length)),
  ...[512, 513, 1000, 1001].map((length) => '\u{1f600}'.repeat(length)),
];
const NUMBERS = [0, 1, -1, 1.5, 86_400, 86_401, Number.MAX_SAFE_INTEGER, 1e15, 1e300];
const OTHERS = [null, true, 1, 'text', [], {}];
const NAMES = ['', 'a', 'x y', '/sub', '/iss', '/a~2', 'local', 'nobody', '__proto__', 'constructor', 'unknown'];

function textFor({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Shape): string {
  const fits = (text: string) => {
    const { length } = Array.from(text); // in characters, as JSON Schema counts
    return length >= minLength && length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text));
  };
  return TEXTS.find((text) => text.length > 0 && fits(text)) ?? TEXTS.find(fits) ?? '';
}

/** At the limits of the schema, inside and outside. */
export function values(schema: Shape, supply: Supply): unknown[] {
  const { enum: choices = [], default: usual, anyOf = [], type, format = '', minimum = 0, maximum = 0 } = schema;
  const own = {
    string: () => [...TEXTS, ...(supply[format] ?? [])],
    integer: () => [...NUMBERS, minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1],
    boolean: () => [true, false],
    array: () => lists(schema, supply),
    object: () => objects(schema, supply),
  }[type ?? ''];
  const usually = usual === undefined ? [] : [usual];
  return [...choices, ...usually, ...(own?.() ?? []), ...anyOf.flatMap((each) => values(each, supply)), ...OTHERS];
}

function lists({ items = {}, minItems = 0, maxItems = 2 }: Shape, supply: Supply): unknown[] {
  const one = plainest(items, supply);
  const lengths = [0, 1, 2, minItems - 1, maxItems, maxItems + 1].filter((length) => length >= 0 && length <= 2000);
  return [...lengths.map((length) => Array(length).fill(one)), ...values(items, supply).map((item) => [item])];
}

function objects(schema: Shape, supply: Supply): unknown[] {
  const { properties = {}, additionalProperties, propertyNames = {} } = schema;
  const base = plainest(schema, supply) as Record<string, unknown>;
  return [
    ...around(schema, base, supply),
    ...(typeof additionalProperties === 'object'
      ? [
          ...NAMES.map((name) => withMember({}, name, plainest(additionalProperties, supply))),
          ...values(additionalProperties, supply).map((value) => ({ [textFor(propertyNames)]: value })),
        ]
      : []),
    ...Object.keys(properties).map((name) => ({ [name]: base[name] ?? plainest(properties[name] ?? {}, supply) })),
  ];
}

/** What differs from an object in one member. */
export function around(schema: Shape, base: Readonly<Record<string, unknown>>, supply: Supply): object[] {
  const members = Object.entries(schema.properties ?? {}).filter(([, { readOnly }]) => !readOnly);
  return [
    base,
    { ...base, unknown: 1 },
    ...Object.keys(base).map((name) => without(base, name)),
    ...members.flatMap(([name, member]) => values(member, supply).map((value) => withMember(base, name, value))),
    {
      ...base,
      ...Object.fromEntries(
        members.flatMap(([name, { default: usual }]) => (usual === undefined ? [] : [[name, usual]])),
      ),
    },
  ];
}

function withMember(object: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true });
}

function without(object: Readonly<Record<string, unknown>>, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/** Each member left out, or at random one of those values of it that `fits`. */
export function mixed(schema: Shape, base: object, fits: (name: string, value: unknown) => boolean, supply: Supply) {
  const members = Object.entries(schema.properties ?? {}).filter(([, { readOnly }]) => !readOnly);
  const choices = members.map(
    ([name, member]) => [name, values(member, supply).filter((value) => fits(name, value))] as const,
  );
  return (seeded: Seeded) => {
    const chosen = choices.filter(([, from]) => from.length > 0 && seeded.chance(0.6));
    return { ...base, ...Object.fromEntries(chosen.map(([name, from]) => [name, seeded.pick(from)])) };
  };
}
