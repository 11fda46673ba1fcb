// Who may answer about revocation by OCSP, for how long, and to which question.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { CertificateJudge } from '../../src/pki/certificate-judge.ts';
import { contextTag } from '../../src/pki/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der-write.ts';
import { EXTENSION } from '../../src/pki/extensions.ts';
import { type CertificateOptions, extension, makeAuthority } from '../authority.ts';
import { approve, NOW, worded } from './approved.ts';

const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const UNKNOWN = 'certificate-revocation-unknown: ocsp-unknown';
const OCSP_REQUIRED: ApprovedIssuer['revocation'] = { crl: 'off', ocsp: 'required', crlFiles: [], endGrants: true };

const root = makeAuthority({ name: 'Root' });
const responderUrl = write(contextTag(6, 'primitive'), Buffer.from('http://ocsp.test/'));
const access = writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), responderUrl));
const asked: CertificateOptions = { extensions: [extension(EXTENSION.authorityInfoAccess, access)] };
const caller = root.issue(asked);

/** The verdict when the responder answers with these octets. */
async function answered(reply: (request: Uint8Array) => Uint8Array): Promise<string> {
  const judge = new CertificateJudge({
    now: () => NOW,
    fetch: async (_url, init) => new Response(new Uint8Array(reply(init.body as Uint8Array))),
  });
  return worded(await judge.judge(caller.chain, [approve(root, { revocation: OCSP_REQUIRED })]));
}

/** Requests end with the nonce of 16 octets. */
const nonceOf = (request: Uint8Array) => request.subarray(-16);

suite('an OCSP answer', () => {
  test('of the issuer itself decides', async () => {
    assert.equal(await answered(() => root.ocsp(caller.serial)), 'accepted caller');
    assert.equal(
      await answered(() => root.ocsp(caller.serial, { state: 'revoked' })),
      'certificate-revoked: ocsp-revoked',
    );
    assert.equal(await answered(() => root.ocsp(caller.serial, { state: 'unknown' })), UNKNOWN);
  });

  test('with our nonce is believed, with another it was made for somebody else', async () => {
    assert.equal(await answered((request) => root.ocsp(caller.serial, { nonce: nonceOf(request) })), 'accepted caller');
    assert.equal(await answered(() => root.ocsp(caller.serial, { nonce: Buffer.alloc(16) })), UNKNOWN);
  });

  test('about another certificate answers nothing', async () => {
    assert.equal(await answered(() => root.ocsp(root.issue().serial)), UNKNOWN);
    assert.equal(await answered(() => makeAuthority({ name: 'Root' }).ocsp(caller.serial)), UNKNOWN);
  });

  test('that is stale or not begun answers nothing', async () => {
    assert.equal(await answered(() => root.ocsp(caller.serial, { nextUpdate: '2026-11-15T11:00:00Z' })), UNKNOWN);
    assert.equal(await answered(() => root.ocsp(caller.serial, { thisUpdate: '2026-11-15T13:00:00Z' })), UNKNOWN);
  });

  test('of a delegated responder needs a certificate of the issuer itself, for OCSP signing (RFC 6960 4.2.2.2)', async () => {
    const by = (responder: ReturnType<typeof root.issue>) => answered(() => root.ocsp(caller.serial, { responder }));
    assert.equal(await by(root.issue({ usages: [OCSP_SIGNING] })), 'accepted caller');
    assert.equal(await by(root.issue()), UNKNOWN);
    assert.equal(await by(makeAuthority({ name: 'Root' }).issue({ usages: [OCSP_SIGNING] })), UNKNOWN);
    assert.equal(await by(root.makeIntermediate().issue({ usages: [OCSP_SIGNING] })), UNKNOWN);
    assert.equal(await by(root.issue({ usages: [OCSP_SIGNING], notAfter: '2026-01-01' })), UNKNOWN);
  });

  test('that cannot be read answers nothing', async () => {
    assert.equal(await answered(() => Buffer.from('30030a0103', 'hex')), UNKNOWN);
    assert.equal(await answered(() => Buffer.from('<html>')), UNKNOWN);
  });
});
