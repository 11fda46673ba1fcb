import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from '../../../src/doors/pages/parts/html.ts';

test('what is set in is escaped, in text and in quoted attributes', () => {
  const evil = `<script>alert("1")</script>'&`;
  assert.equal(
    html`<p title="${evil}">${evil}</p>`.toString(),
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</p>',
  );
});

test('markup made here is set in as it is, and so are lists of it', () => {
  const lines = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${lines}</ul>`.toString(), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

test('false and undefined show nothing; zero shows', () => {
  assert.equal(html`${false}${undefined}${0}`.toString(), '0');
});

test('an object that only looks like markup is escaped', () => {
  const impostor = { toString: () => '<img>' } as unknown as string;
  assert.equal(html`${impostor}`.toString(), '&lt;img&gt;');
});

test('an attribute without quotes is refused', () => {
  assert.throws(() => html`<p title=${'x onclick=y'}>`, /needs quotes/);
});

test('what people typed can look like an attribute, and an address may end in one', () => {
  assert.equal(html`<a href="/a?page=${2}">${'x y='}${'z'}</a>`.toString(), '<a href="/a?page=2">x y=z</a>');
});

test('no text, whatever it holds, opens a tag or ends an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', 'a', ' ') }), (text) => {
      assert.doesNotMatch(html`${text}`.toString(), /[<>"']/);
    }),
  );
});
