// Each change of the self-test of `npm run lab` fits the code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileWith } from '../../lab/report/copy.ts';
import { DRILLS } from '../../lab/report/promises.ts';
import { read } from './sources.ts';

test('the text that the self-test of each drill changes is in the code once', () => {
  assert.ok(DRILLS.length > 10);
  for (const { mutation } of DRILLS) assert.doesNotThrow(() => fileWith(mutation.from));
});

test('every drill of the report is in the menu', () => {
  const menu = read('lab/main.ts');
  for (const { short, long } of DRILLS)
    for (const command of [short, long])
      assert.match(menu, new RegExp(`^ +'?${command.split(' ')[0]}'?: \\[`, 'm'), command);
});

test('the short form takes at most half an hour, with every limit reached', () => {
  const minutes = DRILLS.filter(({ isLongOnly }) => !isLongOnly).reduce((sum, { limit }) => sum + limit, 0);
  assert.ok(minutes <= 30, `${minutes} minutes`);
});
