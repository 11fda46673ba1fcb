import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from '../../../src/doors/pages/parts/html.ts';

test('inserted values are escaped in text and in quoted attributes', () => {
  const evil = `<script>alert("1")</script>'&`;
  assert.equal(
    html`<p title="${evil}">${evil}</p>`.toString(),
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</p>',
  );
});

test('markup from html`` is inserted unescaped, and so are lists of it', () => {
  const lines = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${lines}</ul>`.toString(), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

test('false and undefined render nothing, and zero renders 0', () => {
  assert.equal(html`${false}${undefined}${0}`.toString(), '0');
});

test('an object that only looks like markup is escaped', () => {
  const impostor = { toString: () => '<img>' } as unknown as string;
  assert.equal(html`${impostor}`.toString(), '&lt;img&gt;');
});

test('an attribute without quotes is refused', () => {
  assert.throws(() => html`<p title=${'x onclick=y'}>`, /needs quotes/);
});

test('user text that looks like an attribute is allowed, and so is a URL that ends in one', () => {
  assert.equal(html`<a href="/a?page=${2}">${'x y='}${'z'}</a>`.toString(), '<a href="/a?page=2">x y=z</a>');
});

test('no inserted text can open a tag or end an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', 'a', ' ') }), (text) => {
      assert.doesNotMatch(html`${text}`.toString(), /[<>"']/);
    }),
  );
});
