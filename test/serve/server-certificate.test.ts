import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { whyNotFor } from '../../src/serve/server-certificate.ts';
import { makeAuthority } from '../authority.ts';

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
