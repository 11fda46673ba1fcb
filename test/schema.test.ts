import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_SCHEMA } from '../src/config/schema.ts';
import { fits } from '../src/schema.ts';

type Schema = Parameters<typeof fits>[0];

const ROWS: [word: keyof Schema, schema: Schema, right: unknown[], wrong: unknown[]][] = [
  ['type', { type: 'string' }, ['', '1'], [1, true, null, undefined, [], {}]],
  ['type', { type: 'boolean' }, [true, false], [0, 'true', null]],
  ['type', { type: 'integer' }, [0, -1, 1e6], [1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', true]],
  ['type', { type: 'array' }, [[], [1]], [{}, 'ab', null]],
  ['type', { type: 'object' }, [{}, { a: 1 }], [null, [], 'a', undefined]],
  ['enum', { enum: ['json', 'pretty'] }, ['json', 'pretty'], ['JSON', '', ['json'], undefined]],
  ['anyOf', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['a', 1], [true, 1.5]],
  ['pattern', { type: 'string', pattern: '^[^\\p{Cc}]{1,2}$' }, ['a', '😀😀'], ['', 'a\u0007', 'abc', 'a\nb']],
  ['minLength', { type: 'string', minLength: 1 }, ['a'], ['']],
  ['minimum', { type: 'integer', minimum: 1 }, [1, 2], [0, -1]],
  ['maximum', { type: 'integer', maximum: 5 }, [5, -9], [6]],
  ['items', { type: 'array', items: { type: 'string' } }, [[], ['a', 'b']], [['a', 1]]],
  ['minItems', { type: 'array', minItems: 1 }, [['a']], [[]]],
  ['uniqueItems', { type: 'array', uniqueItems: true }, [['a', 'b']], [['a', 'a']]],
];

for (const [word, schema, right, wrong] of ROWS) {
  test(`${word}: ${JSON.stringify(schema)}`, () => {
    for (const value of right) assert.ok(fits(schema, value), `${JSON.stringify(value)} fits`);
    for (const value of wrong) assert.ok(!fits(schema, value), `${JSON.stringify(value)} does not fit`);
  });
}

/** The JSON Schema keywords of every setting; the rest is documentation. */
function wordsOf({ properties, items, oneOf, anyOf, ...own }: Record<string, unknown>): string[] {
  if (properties) return Object.values(properties).flatMap(wordsOf);
  if (oneOf) return (oneOf as Record<string, unknown>[]).flatMap(wordsOf);
  const inner = [...(items ? [items] : []), ...((anyOf as object[] | undefined) ?? [])] as Record<string, unknown>[];
  return [...Object.keys(own), ...(items ? ['items'] : []), ...(anyOf ? ['anyOf'] : []), ...inner.flatMap(wordsOf)];
}

const FOR_PEOPLE = ['description', 'expected', 'entry', 'examples', 'default', 'kind'];
/** Limits of durations, which only have one when they are read: test/config/mistakes.test.ts. */
const OF_DURATIONS = ['least', 'most'];

/** Checked by demands of src/config/rules.ts, which say what to do: test/config/published.test.ts walks them. */
const OF_DEMANDS = ['not', 'contains'];

test('every schema keyword in use is checked', () => {
  const words = new Set(wordsOf(CONFIG_SCHEMA as unknown as Record<string, unknown>));
  assert.ok(words.has('pattern'), 'the walk finds them');
  const known = new Set<string>([...ROWS.map(([word]) => word), ...FOR_PEOPLE, ...OF_DURATIONS, ...OF_DEMANDS]);
  assert.deepEqual(
    [...words].filter((word) => !known.has(word)),
    [],
  );
});
