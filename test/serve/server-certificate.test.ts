import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { whyNotFor, whyNotValid } from '../../src/serve/server-certificate.ts';
import { makeAuthority } from '../authority.ts';

test('a certificate is reported before it begins, from 30 days before its end, and after it', () => {
  const { pem } = makeAuthority().issue({ notBefore: '2026-01-01', notAfter: '2027-01-01' });
  const certificate = new X509Certificate(pem);
  const at = (day: string) => whyNotValid(certificate, Date.parse(day));
  assert.match(at('2025-12-31')?.why ?? '', /^not valid before Jan {2}1/);
  assert.equal(at('2026-06-01'), undefined);
  assert.deepEqual([at('2026-12-01'), at('2026-12-03')?.isOver], [undefined, false]);
  assert.match(at('2026-12-03')?.why ?? '', /^expires at Jan {2}1 .* 2027/);
  assert.deepEqual([at('2027-01-02')?.isOver, at('2025-12-31')?.isOver], [true, true]);
});

test('a certificate for another name than callers connect to is reported, with the names that it has', () => {
  const { pem } = makeAuthority().issue({ commonName: 'a.example', dnsNames: ['a.example', '*.b.example'] });
  const certificate = new X509Certificate(pem);
  assert.equal(whyNotFor(certificate, 'a.example'), undefined);
  assert.equal(whyNotFor(certificate, 'any.b.example'), undefined);
  assert.equal(
    whyNotFor(certificate, 'c.example'),
    'it is for DNS:a.example, DNS:*.b.example, and callers connect to c.example',
  );
  assert.match(whyNotFor(certificate, '::1') ?? '', /callers connect to ::1$/);
});
