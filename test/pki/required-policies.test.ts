// Certificate policies that an approved issuer requires of callers.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { ecKeys, extension } from '../signed-der.ts';
import { approve, judge, NOW, worded } from './approved.ts';

const POLICY = '1.3.6.1.4.1.99999.1';
const policy = extension(EXTENSION.certificatePolicies, writeSequence(writeSequence(writeOid(POLICY))));
const responderUrl = write(contextTag(6, 'primitive'), Buffer.from('http://ocsp.test/'));
const access = writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), responderUrl));
const root = makeAuthority({ name: 'Root' });
const places = [distributionPoint('http://crl.test/ca.crl'), extension(EXTENSION.authorityInfoAccess, access)];
const caller = root.issue({ extensions: [policy, ...places] });
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

test('empty policy constraints are malformed (RFC 5280 4.2.1.11)', () => {
  const empty = makeAuthority({ extensions: [extension(EXTENSION.policyConstraints, writeSequence(), true)] });
  const judgement = judge({ chain: empty.issue().chain, issuers: [approve(empty)] });
  assert.equal(worded(judgement), 'certificate-refused-by-policy: extensions-well-formed');
});
