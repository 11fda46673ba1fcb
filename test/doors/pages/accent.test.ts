import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contrast, legibleAccent } from '../../../src/doors/pages/parts/accent.ts';

const LIGHT = ['#ffffff', '#f6f5f1', '#f1efe9'];
const DARK = ['#121418', '#1b1e24', '#22262e'];

test('contrast is computed as WCAG says: black on white is 21, and #767676 on white just passes', () => {
  assert.equal(Math.round(contrast('#000000', '#ffffff')), 21);
  assert.ok(contrast('#767676', '#ffffff') >= 4.5 && contrast('#777777', '#ffffff') < 4.5);
});

test('text in and on any accent colour is legible on every surface, light and dark', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const { light, dark } = legibleAccent(`#${value.toString(16).padStart(6, '0')}`);
      for (const surface of [...LIGHT, light.onAccent]) assert.ok(contrast(light.accent, surface) >= 4.5);
      for (const surface of [...DARK, dark.onAccent]) assert.ok(contrast(dark.accent, surface) >= 4.5);
    }),
  );
});

test('a legible accent stays unchanged', () => {
  assert.equal(legibleAccent('#0b4fd0').light.accent, '#0b4fd0');
});
