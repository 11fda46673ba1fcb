import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { claimsOfTemplate, claimText, fillTemplate, isClaimPointer } from '../../src/core/claims.ts';

const CLAIMS = {
  sub: 'job',
  'kubernetes.io': { namespace: 'prod', pod: { name: 'web-0' } },
  'a/b': 'slash',
  'c~d': 'tilde',
  groups: ['staff', 'ops'],
  run: 42,
  protected: true,
  large: 2 ** 53,
  half: 0.5,
  nothing: null,
  '': 'empty name',
};

suite('claims by JSON Pointer (RFC 6901)', () => {
  const cases: readonly (readonly [pointer: string, text: string | undefined])[] = [
    ['/sub', 'job'],
    ['/kubernetes.io/namespace', 'prod'],
    ['/kubernetes.io/pod/name', 'web-0'],
    ['/a~1b', 'slash'],
    ['/c~0d', 'tilde'],
    ['/', 'empty name'],
    ['/groups/1', 'ops'],
    ['/groups/01', undefined],
    ['/groups/-', undefined],
    ['/groups/2', undefined],
    ['/groups', undefined],
    ['/groups/length', undefined],
    ['/sub/length', undefined],
    ['/sub/0', undefined],
    ['/run', '42'],
    ['/protected', 'true'],
    ['/large', undefined],
    ['/half', undefined],
    ['/nothing', undefined],
    ['/nothing/deeper', undefined],
    ['/absent', undefined],
    ['/__proto__/constructor/name', undefined],
    ['/constructor/name', undefined],
  ];
  for (const [pointer, text] of cases) {
    test(`${pointer} is ${text ?? 'no scalar'}`, () => assert.equal(claimText(CLAIMS, pointer), text));
  }

  test('a pointer begins with a slash, and its tildes are escapes', () => {
    assert.ok(['/sub', '/a~1b', '/', '/a//b'].every(isClaimPointer));
    assert.ok(!['', 'sub', '/a~2', '/a~', `/${'a'.repeat(300)}`].some(isClaimPointer));
  });
});

suite('templates of identities', () => {
  test('name claims in braces', () => {
    assert.deepEqual(claimsOfTemplate('{/sub}'), ['/sub']);
    assert.deepEqual(claimsOfTemplate('ci-{/repository}:{/environment}'), ['/repository', '/environment']);
    for (const wrong of [
      '',
      'sub',
      '{sub}',
      '{/sub',
      '/sub}',
      '{}',
      '{{/sub}}',
      '{/sub}\n',
      `{/sub}${'x'.repeat(600)}`,
    ])
      assert.equal(claimsOfTemplate(wrong), undefined, wrong);
  });

  test('are filled with scalars; a missing or empty claim is named', () => {
    assert.deepEqual(fillTemplate('{/sub} on {/run}', CLAIMS), { text: 'job on 42', values: ['job', '42'] });
    assert.deepEqual(fillTemplate('{/sub}{/groups}', CLAIMS), { missing: '/groups' });
    assert.deepEqual(fillTemplate('{/sub}', { sub: '' }), { missing: '/sub' });
  });

  test('a value with braces is not a template', () => {
    assert.deepEqual(fillTemplate('{/a}-{/b}', { a: '{/b}', b: '$&' }), { text: '{/b}-$&', values: ['{/b}', '$&'] });
  });
});
