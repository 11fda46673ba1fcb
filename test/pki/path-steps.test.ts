// The rules for a whole path, as steps that operators see: path length, certificate policies, and who breaks them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { extension } from '../signed-der.ts';
import { approve, judge } from './approved.ts';
import { inhibitAny, mappings, policies as policy } from './corpus/pieces.ts';

const number = (tag: number, value: number) => write(contextTag(tag, 'primitive'), Uint8Array.of(value));
const constraints = (...fields: Uint8Array[]) => extension(EXTENSION.policyConstraints, writeSequence(...fields), true);

function stepOf(rule: string, below: Authority, root: Authority, settings: Partial<ApprovedIssuer> = {}) {
  const { steps } = judge({ chain: below.issue().chain, issuers: [approve(root, settings)] });
  return steps.find((step) => step.rule === rule) ?? assert.fail();
}

suite('the path length (RFC 5280 4.2.1.9)', () => {
  const words = 'no authority exceeds the path length of an authority above it (RFC 5280 4.2.1.9)';
  /** From the root down: a name, and the path length that the certificate has. */
  const chainOf = (...levels: (readonly [name: string, pathLength?: number])[]) => {
    const made = (pathLength?: number) => (pathLength === undefined ? {} : { pathLength });
    const [first = ['Root'], ...others] = levels;
    const root = makeAuthority({ name: first[0], ...made(first[1]) });
    const below = others.reduce((parent, [name, length]) => parent.makeIntermediate({ name, ...made(length) }), root);
    return stepOf('path-length', below, root);
  };

  test('is that of every authority above', () => {
    for (const levels of [
      [['Root', 0]],
      [['Root'], ['A'], ['B'], ['C']],
      [['Root', 1], ['A']],
      [['Root', 2], ['A', 5], ['B']],
      [
        ['Root', 2],
        ['A', 1],
        ['B', 0],
      ],
    ] as const)
      assert.deepEqual(chainOf(...levels), { ...chainOf(['Root']), passed: true }, JSON.stringify(levels));
    for (const [name, levels] of [
      ['A', [['Root', 0], ['A']]],
      ['B', [['Root', 1], ['A', 5], ['B']]],
      ['B', [['Root'], ['A', 0], ['B']]],
      ['C', [['Root', 2], ['A'], ['B'], ['C']]],
    ] as const) {
      const { passed, words: said, setting } = chainOf(...levels);
      assert.deepEqual(
        [passed, said, setting],
        [false, `${words}: CN=${name} exceeds the allowed path length`, 'every profile'],
      );
    }
  });
});

test('a policy that is missing names the setting that requires it, or that none does', () => {
  const root = makeAuthority({ name: 'Root' });
  const required = { policies: ['1.2.3', '1.2.4'] };
  const rule = 'certificate-policies';
  const words = 'the certificate policies of the path are valid (RFC 5280 6.1)';
  const missing = stepOf(rule, root, root, required);
  assert.deepEqual([missing.about, missing.passed, missing.setting], ['path', false, 'policies: 1.2.3, 1.2.4']);
  assert.equal(missing.words, `${words}: an explicit policy is required, but none is valid`);
  const chain = root.issue({ extensions: [policy('1.2.9')] }).chain;
  const other = judge({ chain, issuers: [approve(root, required)] }).steps.find((step) => step.rule === rule);
  assert.equal(other?.words, `${words}: it is not valid for 1.2.3 or 1.2.4`);
  const { passed, words: said, setting } = stepOf(rule, root, root);
  assert.deepEqual([passed, said, setting], [true, words, undefined]);
  const explicit = writeSequence(write(contextTag(0, 'primitive'), Uint8Array.of(0)));
  const strict = makeAuthority({ extensions: [extension(EXTENSION.policyConstraints, explicit, true)] });
  assert.equal(stepOf(rule, strict, strict).setting, 'every profile');
  assert.equal(stepOf(rule, strict, strict, required).setting, 'every profile');
});

test('a step names the certificate by its role', () => {
  const root = makeAuthority({ name: 'Root' });
  const below = root.makeIntermediate({ name: 'Below' });
  const { steps } = judge({ chain: below.issue().chain, issuers: [approve(root)] });
  const about = steps.filter(({ rule }) => rule === 'expired').map((step) => step.about);
  assert.deepEqual(about, ['approved issuer CN=Root', 'intermediate CN=Below', 'leaf CN=caller']);
  const expired = judge({ chain: below.issue({ notAfter: '2025-01-01' }).chain, issuers: [approve(root)] }).steps;
  const settings = expired.filter(({ rule }) => rule === 'expired').map(({ setting }) => setting);
  assert.deepEqual(settings, [undefined, undefined, 'every profile']);
  const shown = steps.find(({ rule }) => rule === 'key-curve');
  assert.deepEqual([shown?.passed, shown?.setting], [true, 'curves: P-256, P-384, P-521']);
});

suite('counters of policies (RFC 5280 6.1.4)', () => {
  const passes = (root: Authority, below: Authority, leaf: Uint8Array[] = []) =>
    judge({ chain: below.issue({ extensions: leaf }).chain, issuers: [approve(root)] }).outcome.ok;

  test('a policy is required after as many certificates as the constraint says', () => {
    for (const [after, depth, expected] of [
      [0, 0, false],
      [1, 0, false],
      [2, 0, true],
      [2, 1, false],
      [3, 1, true],
      [3, 2, false],
    ] as const) {
      const root = makeAuthority({ name: 'Root', extensions: [constraints(number(0, after))] });
      const below = Array.from({ length: depth }).reduce(
        (parent: Authority, _, n) => parent.makeIntermediate({ name: `Level ${n}` }),
        root,
      );
      assert.equal(passes(root, below), expected, `${after} ${depth}`);
    }
    const root = makeAuthority({ name: 'Root', extensions: [constraints(number(0, 2))] });
    assert.equal(
      passes(root, root.makeIntermediate({ name: 'Root' })),
      true,
      'but not one with the name of its issuer',
    );
  });

  test('any-policy that is inhibited still counts in an authority with the name of its issuer (RFC 5280 6.1.3 d 2)', () => {
    const root = makeAuthority({ name: 'Root', extensions: [constraints(number(0, 0)), inhibitAny(0)] });
    const below = (name: string) => root.makeIntermediate({ name, extensions: [policy('2.5.29.32.0')] });
    assert.deepEqual(
      ['Root', 'Other'].map((name) => passes(root, below(name), [policy('1.2.3')])),
      [true, false],
    );
    const selfIssued = { subject: root.subject, extensions: [policy('2.5.29.32.0')] };
    const { outcome } = judge({ chain: root.issue(selfIssued).chain, issuers: [approve(root)] });
    assert.equal(outcome.ok, false, 'but not in a leaf');
  });

  test('none is required where mapping alone is inhibited', () => {
    const root = makeAuthority({ name: 'Root', extensions: [constraints(number(1, 0))] });
    const below = root.makeIntermediate({ name: 'A' });
    for (const authority of [root, below, below.makeIntermediate({ name: 'B' })])
      assert.equal(passes(root, authority), true);
  });

  test('the leaf may require one, too, at once only', () => {
    const root = makeAuthority({ name: 'Root' });
    assert.equal(passes(root, root, [constraints(number(0, 0))]), false);
    assert.equal(passes(root, root, [constraints(number(0, 0)), policy('1.2.3')]), true);
    assert.equal(passes(root, root, [constraints(number(0, 1))]), true);
  });

  test('mapping and any-policy are inhibited after as many certificates as the constraint says', () => {
    const [P, Q, ANY] = ['1.2.3', '1.2.4', '2.5.29.32.0'];
    const mapping = mappings([P, Q]);
    /** The last of so many intermediates has the extensions, those above it have policy P. */
    const ends = (root: Uint8Array[], depth: number, last: Uint8Array[], leaf: string) => {
      const top = makeAuthority({ name: 'Root', extensions: root });
      const levels = Array.from({ length: depth }, (_, n) => (n === depth - 1 ? last : [policy(P)]));
      const below = levels.reduce(
        (parent: Authority, extensions, n) => parent.makeIntermediate({ name: `Level ${n}`, extensions }),
        top,
      );
      return passes(top, below, [policy(leaf)]);
    };
    for (const [after, depth, expected] of [
      [0, 1, false],
      [1, 1, true],
      [1, 2, false],
      [2, 2, true],
      [2, 3, false],
      [3, 3, true],
    ] as const) {
      const noMapping = [constraints(number(0, 0), number(1, after))];
      assert.equal(ends(noMapping, depth, [policy(P), mapping], Q), expected, `mapping ${after} ${depth}`);
      const noAny = [constraints(number(0, 0)), inhibitAny(after)];
      assert.equal(ends(noAny, depth, [policy(ANY)], P), expected, `any-policy ${after} ${depth}`);
    }
  });
});
