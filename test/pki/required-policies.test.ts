// Certificate policies that an approved issuer requires of callers.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { ecKeys, extension } from '../signed-der.ts';
import { approve, judge, NOW, worded } from './approved.ts';
import { inhibitAny, mappings, policies, policyConstraints, uri } from './corpus/pieces.ts';

const POLICY = '1.3.6.1.4.1.99999.1';
const access = writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), uri('http://ocsp.test/')));
const root = makeAuthority({ name: 'Root' });
const places = [distributionPoint('http://crl.test/ca.crl'), extension(EXTENSION.authorityInfoAccess, access)];
const caller = root.issue({ extensions: [policies(POLICY), ...places] });
// Neither has the policy.
const responder = root.issue({ usages: ['1.3.6.1.5.5.7.3.9'] });
const listKeys = ecKeys();
const listSigner = root.makeIntermediate({ subject: root.subject, keys: listKeys });

suite('a required policy', () => {
  for (const [what, revocation] of [
    ['lists', { crl: 'if-available', ocsp: 'off' }],
    ['lists', { crl: 'required', ocsp: 'off' }],
    ['OCSP responses', { crl: 'off', ocsp: 'if-available' }],
    ['OCSP responses', { crl: 'off', ocsp: 'required' }],
  ] as const) {
    test(`does not apply to the signers of ${what}: crl ${revocation.crl}, ocsp ${revocation.ocsp}`, async () => {
      const settings = { ...revocation, crlFiles: [], endGrants: true } satisfies ApprovedIssuer['revocation'];
      const issuers = [approve(root, { policies: [POLICY], revocation: settings })];
      const answers = async (state: 'good' | 'revoked') => {
        const revoked = state === 'revoked' ? [caller.serial] : [];
        const reply = (url: string) =>
          url.includes('ocsp')
            ? root.ocsp(caller.serial, { state, responder })
            : root.crl({ keys: listKeys, revoked, nextUpdate: '2026-11-16' });
        const service = new CertificateJudge({
          now: () => NOW,
          fetch: async (url) => new Response(new Uint8Array(reply(url))),
        });
        return worded(await service.judge([...caller.chain, listSigner.certificate], issuers));
      };
      assert.equal(await answers('good'), 'accepted caller');
      assert.match(await answers('revoked'), /^certificate-revoked/);
    });
  }

  test('that a caller lacks is named as the setting that refuses it', () => {
    const { steps } = judge({ chain: root.issue().chain, issuers: [approve(root, { policies: [POLICY] })] });
    assert.deepEqual(
      steps.filter(({ passed }) => !passed).map(({ rule, setting }) => [rule, setting]),
      [['certificate-policies', `policies: ${POLICY}`]],
    );
  });
});

suite('which required policies a path has', () => {
  const [A, B, ANY] = ['1.3.6.1.4.1.99.1', '1.3.6.1.4.1.99.2', '2.5.29.32.0'] as const;
  const [a, b, any, none] = [[policies(A)], [policies(B)], [policies(ANY)], []];
  const WITHOUT = 'certificate-refused-by-policy: certificate-policies';
  type Extensions = readonly Uint8Array[];
  const along = (top: Extensions, middle: Extensions, leaf: Extensions, ...required: string[]) => {
    const authority = makeAuthority({ name: 'Root', extensions: top });
    const { chain } = authority.makeIntermediate({ extensions: middle }).issue({ extensions: leaf });
    return worded(judge({ chain, issuers: [approve(authority, { policies: required })] }));
  };

  test('those that run through all of it; one of several is enough', () => {
    for (const [top, middle, leaf] of [
      [none, a, a],
      [a, a, [policies(A, B)]],
      [none, any, a],
      [none, a, any],
      [none, any, any],
    ] as const)
      assert.equal(along(top, middle, leaf, A), 'accepted caller');
    for (const [top, middle, leaf] of [
      [none, none, none],
      [none, none, a],
      [none, a, none],
      [none, a, b],
      [none, b, b],
      [b, a, a],
      [[inhibitAny(0)], any, a],
      [none, [...any, inhibitAny(0)], any],
    ] as const)
      assert.equal(along(top, middle, leaf, A), WITHOUT);
    assert.equal(along(none, b, b, A, B), 'accepted caller');
  });

  test('they are named in the terms of the issuer; one is mapped only by an authority that has it, or any (RFC 5280 6.1.4 b)', () => {
    const mapped = [...a, mappings([A, B])];
    assert.equal(along(none, mapped, b, A), 'accepted caller');
    assert.equal(along(none, mapped, b, B), WITHOUT);
    assert.equal(along(none, mapped, a, A), WITHOUT);
    assert.equal(along(none, [...any, mappings([A, B])], b, A), 'accepted caller');
    assert.equal(along(none, [policies('1.3.6.1.4.1.99.3'), mappings([A, B])], b, A), WITHOUT);
    assert.equal(along([policyConstraints({ explicit: 0, mapping: 0 })], mapped, b, A), WITHOUT);
  });
});
