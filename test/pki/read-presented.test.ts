// What a connection presents. Certificates in headers: exactly one or none; ambiguous headers are refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Presented } from '../../src/core/certificate.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { describe } from '../../src/doors/token/descriptions.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import {
  readClientCert,
  readForwardedClientCert,
  readPemHeader,
  readPresented,
} from '../../src/pki/judge/read-presented.ts';
import { makeAuthority } from '../authority.ts';
import { approve, NOW, worded } from './approved.ts';

const root = makeAuthority();
const intermediate = root.makeIntermediate();
const caller = intermediate.issue();
const [leaf, above] = [caller.certificate, intermediate.certificate];
const sequence = (der: Uint8Array) => `:${Buffer.from(der).toString('base64')}:`;
const encoded = (pem: string) => encodeURIComponent(pem);

function result(outcome: Outcome<readonly Uint8Array[]>): string | string[] {
  return outcome.ok ? outcome.value.map((der) => Buffer.from(der).toString('hex')) : outcome.refusal.reason;
}

const LEAF = [Buffer.from(leaf).toString('hex')];
const BOTH = [leaf, above].map((der) => Buffer.from(der).toString('hex'));

suite('what a connection presents', () => {
  test('is the chain of the handshake, or that of the header; nothing else counts', () => {
    const byHandshake: Presented = { by: 'handshake', chain: [leaf, above], hasIgnoredHeader: true };
    assert.deepEqual(result(readPresented(byHandshake)), BOTH);
    const lines = [sequence(leaf)];
    const byHeader: Presented = { by: 'header', header: 'rfc9440', lines, chainLines: [sequence(above)] };
    assert.deepEqual(result(readPresented(byHeader)), BOTH);
    const repeated = { ...byHeader, lines: [...lines, ...lines] };
    assert.equal(result(readPresented(repeated)), 'certificate-repeated');
    for (const nothing of [{ by: 'nothing' } as const, { ...byHandshake, chain: [] }, { ...byHeader, lines: [] }])
      assert.equal(result(readPresented(nothing)), 'certificate-missing');
  });

  test('where Node hides the intermediates that a caller sent, the refusal and the log say so; a header is not affected', async () => {
    const judged = (presented: Presented, isSeen: boolean) =>
      new CertificateJudge({
        fetch: async () => assert.fail('nothing to fetch'),
        now: () => NOW,
        seesIntermediates: async () => isSeen,
      }).judgePresented(presented, [approve(root)]);
    const alone: Presented = { by: 'handshake', chain: [leaf], hasIgnoredHeader: false };
    const hidden = await judged(alone, false);
    assert.equal(worded(hidden), 'certificate-issuer-not-approved: intermediates-seen');
    assert.equal(hidden.steps.at(-1)?.passed, false);
    assert.match(hidden.steps.at(-1)?.setting ?? '', /use Node 26\.10 or newer, or register/);
    assert.match(
      describe({ reason: 'certificate-issuer-not-approved', rule: 'intermediates-seen' }),
      /not issued by an approved issuer: this server cannot see the intermediates/,
    );
    const unaffected = 'certificate-issuer-not-approved: issuer-approved';
    assert.equal(worded(await judged(alone, true)), unaffected);
    assert.equal(worded(await judged({ ...alone, chain: [leaf, leaf] }, false)), unaffected);
    const byHeader: Presented = { by: 'header', header: 'rfc9440', lines: [sequence(leaf)], chainLines: [] };
    assert.equal(worded(await judged(byHeader, false)), unaffected);
    assert.equal(worded(await judged({ ...alone, chain: [leaf, above] }, false)), 'accepted caller');
    const expired = root.issue({ notAfter: '2026-11-15' });
    assert.notEqual(worded(await judged({ ...alone, chain: [expired.certificate] }, false)), worded(hidden));
  });
});

suite('RFC 9440', () => {
  test('Client-Cert holds the leaf, Client-Cert-Chain the rest of the chain', () => {
    assert.deepEqual(result(readClientCert([sequence(leaf)])), LEAF);
    assert.deepEqual(result(readClientCert([sequence(leaf)], [sequence(above)])), BOTH);
    assert.deepEqual(result(readClientCert([sequence(leaf)], [`${sequence(above)}, ${sequence(above)}`])).length, 3);
  });

  test('a repeated Client-Cert is refused (RFC 9440 2.4)', () => {
    assert.equal(result(readClientCert([sequence(leaf), sequence(leaf)])), 'certificate-repeated');
    assert.equal(result(readClientCert([`${sequence(leaf)}, ${sequence(leaf)}`])), 'certificate-unreadable');
  });

  test('anything but a canonical byte sequence is refused', () => {
    const base64 = Buffer.from(leaf).toString('base64');
    for (const value of [
      base64,
      `:${base64}`,
      `"${base64}"`,
      `:${base64}:;a=1`,
      ':*:',
      '::',
      `:${base64.slice(0, -1)}:`,
      ':ab:',
      `: ${base64}:`,
    ]) {
      assert.equal(result(readClientCert([value])), 'certificate-unreadable', value.slice(0, 12));
    }
    assert.equal(result(readClientCert([sequence(leaf)], [`${sequence(above)},`])), 'certificate-unreadable');
  });

  test('an absent or empty header means no certificate', () => {
    assert.equal(result(readClientCert([])), 'certificate-missing');
    assert.equal(result(readClientCert([' '])), 'certificate-missing');
  });
});

suite('PEM in a header', () => {
  test('URL-encoded as nginx sends it, or with spaces for newlines as Apache does', () => {
    assert.deepEqual(result(readPemHeader([encoded(caller.pem)])), LEAF);
    assert.deepEqual(result(readPemHeader([caller.pem.replaceAll('\n', ' ')])), LEAF);
    assert.deepEqual(result(readPemHeader([encoded(caller.pem + intermediate.pem)])), BOTH);
  });

  test('is refused if repeated, truncated or surrounded by other text', () => {
    assert.equal(result(readPemHeader([encoded(caller.pem), encoded(caller.pem)])), 'certificate-repeated');
    for (const value of [
      '%',
      '%zz',
      '(null)',
      encoded(caller.pem.slice(0, -10)),
      encoded(`x${caller.pem}`),
      encoded(caller.key),
    ]) {
      assert.equal(result(readPemHeader([value])), 'certificate-unreadable', value.slice(0, 12));
    }
  });
});

suite('headers made to be slow to parse', () => {
  test('are refused in milliseconds', () => {
    const block = `-----BEGIN CERTIFICATE-----A-----END CERTIFICATE-----${' '.repeat(300)}`;
    const started = process.cpuUsage();
    assert.equal(result(readPemHeader([`${block.repeat(40)}x`])), 'certificate-unreadable');
    assert.equal(result(readPemHeader([`-----BEGIN CERTIFICATE-----${' '.repeat(16_000)}`])), 'certificate-unreadable');
    assert.equal(result(readForwardedClientCert([`Cert="${'\\\\'.repeat(8_000)}`])), 'certificate-unreadable');
    const { user, system } = process.cpuUsage(started); // in microseconds, whatever else the machine does
    assert.ok(user + system < 200_000);
  });
});

suite('Envoy’s x-forwarded-client-cert', () => {
  test('holds Cert, or a Chain that starts with it', () => {
    assert.deepEqual(result(readForwardedClientCert([`By=spiffe://a;Hash=00;Cert="${encoded(caller.pem)}"`])), LEAF);
    const both = `Hash=00;cert="${encoded(caller.pem)}";Chain="${encoded(caller.pem + intermediate.pem)}";Subject="CN=\\"a,b;c\\""`;
    assert.deepEqual(result(readForwardedClientCert([both])), BOTH);
    for (const subject of ['CN=a,O=b;c', '\\",;', '\\\\'])
      assert.deepEqual(result(readForwardedClientCert([`Subject="${subject}";Cert="${encoded(caller.pem)}"`])), LEAF);
  });

  test('is refused with several elements, lines or duplicate keys', () => {
    const one = `Cert="${encoded(caller.pem)}"`;
    assert.equal(result(readForwardedClientCert([`${one},${one}`])), 'certificate-repeated');
    assert.equal(result(readForwardedClientCert([one, one])), 'certificate-repeated');
    assert.equal(result(readForwardedClientCert([`${one};${one}`])), 'certificate-repeated');
    assert.equal(result(readForwardedClientCert([`${one};CERT="x"`])), 'certificate-repeated');
    assert.equal(result(readForwardedClientCert([`${one};Chain="x";chain="x"`])), 'certificate-repeated');
  });

  test('is refused with a foreign chain or unclosed quotes', () => {
    assert.equal(
      result(readForwardedClientCert([`Cert="${encoded(caller.pem)}";Chain="${encoded(intermediate.pem)}"`])),
      'certificate-unreadable',
    );
    assert.equal(result(readForwardedClientCert([`Cert="${encoded(caller.pem)}`])), 'certificate-unreadable');
    assert.equal(
      result(readForwardedClientCert([`Cert="x";Chain="${encoded(caller.pem)}"`])),
      'certificate-unreadable',
    );
    assert.equal(
      result(readForwardedClientCert([`Cert="${encoded(caller.pem)}";Chain="x"`])),
      'certificate-unreadable',
    );
    assert.equal(result(readForwardedClientCert(['Hash=00;Subject="Cert=x"'])), 'certificate-missing');
  });
});
