// A few hundred mutants per test run; `npm run fuzz -- certificates --mutations 200000` is the long run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzCertificates } from '../../lab/fuzz/certificates.ts';

test('every certificate that we accept and OpenSSL or GnuTLS refuses has an explanation', async () => {
  assert.equal(await fuzzCertificates({ mutations: 300, first: 1 }), 0);
});
