// Every setting and variable that a page mentions must exist, and its configurations must be valid.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { assertEach, PAGES, SPANS, WORDS } from './mentioning-pages.ts';
import { blocksOf } from './mentions.ts';
import { SECTIONS, SETTING_VARIABLES, SETTINGS, TOP } from './setting-names.ts';

const folder = temporaryFolder('documented');
after(() => rmSync(folder, { recursive: true }));

/** Settings of earlier releases, which the changelog names. */
const GONE: readonly string[] = ['CHANGELOG.md: pages.docs'];

test('every setting that a code span names exists', () => {
  // Fields of registered things are no settings.
  const spans = SPANS.filter(({ page }) => page !== 'docs/objects.md');
  const named = spans.map(({ page, text }) => ({ page, text: text.replace(/^--set /, '').replace(/(?:=|: ).*$/, '') }));
  const dotted = named.filter(
    ({ text }) => /^[a-zA-Z]+(?:\.(?:[a-zA-Z]+|\d+|\[\]))+$/.test(text) && SECTIONS.includes(text.split('.')[0] ?? ''),
  );
  assertEach(
    dotted.filter(({ page, text }) => !/\.(?:ts|yaml|json|md)$/.test(text) && !GONE.includes(`${page}: ${text}`)),
    40,
    (name) => SETTINGS.has(name.replaceAll(/\.\d+/g, '.[]')),
  );
});

test('every variable of the environment that a page names is read', () => {
  const named = PAGES.flatMap(({ path, text }) =>
    (text.match(/\bTESSERA_[A-Z_]+\b/g) ?? []).map((name) => ({ page: path, text: name })),
  );
  assertEach(named, 12, (name) => SETTING_VARIABLES.has(name) || WORDS.has(name));
});

const configurations = PAGES.flatMap(blocksOf).filter(
  ({ language, text }) => language === 'yaml' && Object.hasOwn(TOP, /^(\w+):/m.exec(text)?.[1] ?? ''),
);
test('configurations are found', () => assert.ok(configurations.length >= 2));
for (const [at, { page, text }] of configurations.entries()) {
  test(`configuration ${at + 1} is valid: ${page}`, () => {
    const file = join(folder, `${at}.yaml`);
    writeFileSync(file, text);
    assert.doesNotThrow(() => loadConfig({ file, env: {} }));
  });
}
