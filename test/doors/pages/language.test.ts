import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { CATALOGUES, languageFor } from '../../../src/doors/pages/parts/language.ts';

type Tree = { readonly [key: string]: unknown };

/** Every text by its path; a function is called with recognisable arguments. */
function textsOf(tree: Tree, path = ''): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const here = `${path}${key}`;
    if (typeof value === 'function') texts.set(here, String(value('ONE', 'TWO')));
    else if (typeof value === 'string') texts.set(here, value);
    else for (const [inner, text] of textsOf(value as Tree, `${here}.`)) texts.set(inner, text);
  }
  return texts;
}

const INSETS = ['ONE', 'TWO', '{count}'];
// "User name" and "client certificate" are the usual words for these two.
const FORBIDDEN =
  /\b(?:apps?|authorize|autorisieren|logout|login|user(?! name)|clients?(?![ -](?:certificate|Zertifikat))|approved?|genehmig\w*)\b/i;

suite('catalogues', () => {
  test('the check finds forbidden words', () => {
    for (const text of ['your app', 'the client asks', 'Approve it', 'a user', 'Bitte genehmigen'])
      assert.match(text, FORBIDDEN);
    for (const text of ['User name', 'By client certificate', 'Mit Client-Zertifikat'])
      assert.doesNotMatch(text, FORBIDDEN);
  });

  const english = textsOf(CATALOGUES.en as unknown as Tree);

  for (const [tag, catalogue] of Object.entries(CATALOGUES)) {
    const texts = textsOf(catalogue as unknown as Tree);

    test(`${tag} has every text, and none is empty`, () => {
      assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort());
      for (const [path, text] of texts) assert.ok(text.trim().length > 0, path);
    });

    test(`${tag} has the same placeholders as English`, () => {
      const insets = (all: Map<string, string>) =>
        [...all].flatMap(([path, text]) =>
          INSETS.filter((inset) => text.includes(inset)).map((inset) => `${path} ${inset}`),
        );
      assert.ok(insets(english).length >= 10, 'English sets things in');
      assert.deepEqual(insets(texts).sort(), insets(english).sort());
    });

    test(`${tag} uses our words: no client, no app, no approve for confirm`, () => {
      assert.ok(texts.size > 100, `only ${texts.size} texts were read`);
      const offending = [...texts].filter(([, text]) => FORBIDDEN.test(text));
      assert.deepEqual(offending, []);
    });
  }

  test('every German sentence differs from the English one', () => {
    const german = textsOf(CATALOGUES.de as unknown as Tree);
    for (const [path, text] of english) if (text.includes(' ')) assert.notEqual(german.get(path), text, path);
  });
});

suite('the language of a page [RFC 9110 12.5.4]', () => {
  const CASES: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,en;q=0.7', 'de'],
    ['en;q=0.5, de;q=0.9', 'de'],
    ['fr, de;q=0.2', 'de'],
    ['fr', 'en'],
    ['de;q=0, en', 'en'],
    ['constructor, __proto__', 'en'],
    [`${'x,'.repeat(5000)}de`, 'en'],
  ];
  for (const [header, tag] of CASES) {
    test(`${(header ?? 'no header').slice(0, 30)} → ${tag}`, () => assert.equal(languageFor(header).tag, tag));
  }
});

test('dates are in UTC; relative times and durations are in the language of the page', () => {
  const at = epochSeconds(1_800_000_000);
  const de = languageFor('de');
  const en = languageFor('en');
  assert.equal(en.moment(at), '15 Jan 2027, 08:00 UTC');
  assert.equal(de.moment(at), '15.01.2027, 08:00 UTC');
  assert.equal(en.distance(at, epochSeconds(at - 180)), '3 minutes ago');
  assert.equal(de.distance(at, epochSeconds(at + 3 * 86_400)), 'in 3 Tagen');
  assert.equal(en.length(seconds(1)), '1 second');
  assert.equal(de.length(seconds(300)), '5 Minuten');
});
