// Certificates made to name somebody else, two people, or nobody.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension, nameOf } from '../signed-der.ts';
import { approve, judge, verdict } from './approved.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';

const authority = makeAuthority();

suite('a hostile certificate never gives another identity', () => {
  for (const { what, from, made, verdict: expected } of HOSTILE_NAMES) {
    test(`${what} → ${expected}`, () => {
      const issuers = [approve(authority, { identitySources: typeof from === 'string' ? [from] : from })];
      assert.equal(verdict({ chain: authority.issue(made).chain, issuers }), expected);
    });
  }

  test('the corpus has at least forty certificates that must be refused', () => {
    assert.ok(HOSTILE_NAMES.filter((hostile) => !hostile.verdict.startsWith('accepted')).length >= 40);
  });

  test('an extension that appears twice makes the certificate unreadable', () => {
    const twice = [extension(EXTENSION.subjectAltName, nameOf('x')), extension(EXTENSION.subjectAltName, nameOf('x'))];
    const chain = authority.issue({ extensions: twice }).chain;
    const { steps } = judge({ chain, issuers: [approve(authority)] });
    assert.match(steps.at(-1)?.words ?? '', /an extension appears twice/);
  });

  test('the next identity source is used if the first is absent', () => {
    const issuers = [approve(authority, { identitySources: ['upn-san', 'email-san', 'common-name'] })];
    assert.equal(verdict({ chain: authority.issue({ commonName: 'john' }).chain, issuers }), 'accepted john');
  });
});
