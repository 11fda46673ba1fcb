// The code blocks of pages can be parsed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { PAGES } from './mentioning-pages.ts';
import { blocksOf } from './mentions.ts';

const ofLanguage = (language: string) => PAGES.flatMap(blocksOf).filter((block) => block.language === language);

test('every block of shell commands can be parsed by a shell', () => {
  const blocks = ofLanguage('sh');
  assert.ok(blocks.length > 15);
  const broken = blocks.filter(({ text }) => spawnSync('sh', ['-n'], { input: text }).status !== 0);
  assert.deepEqual(
    broken.map(({ page, text }) => `${page}: ${text}`),
    [],
  );
});

test('every block of JSON is JSON, apart from omissions', () => {
  const blocks = ofLanguage('json').filter(({ text }) => !text.includes('…'));
  assert.ok(blocks.length > 0);
  for (const { page, text } of blocks) assert.doesNotThrow(() => JSON.parse(text), page);
});
