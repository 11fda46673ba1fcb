// The handshake was judged by OpenSSL too: where it can judge, it must not object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificateJudge } from '../../src/pki/certificate-judge.ts';
import { makeAuthority } from '../authority.ts';
import { approve, NOW, worded } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const intermediate = root.makeIntermediate({ name: 'Intermediate' });

function judgeOf(): CertificateJudge {
  return new CertificateJudge({ now: () => NOW, fetch: async () => new Response('', { status: 503 }) });
}

test('under a self-signed issuer OpenSSL must agree, and its objection is not remembered with the chain', async () => {
  const judge = judgeOf();
  const issuers = [approve(root)];
  const { chain } = root.issue();
  const ask = async (agrees: boolean) => worded(await judge.judge(chain, issuers, { agrees }));
  assert.match(await ask(true), /^accepted/);
  assert.equal(await ask(false), 'certificate-refused-by-policy: openssl-agrees');
  assert.match(await ask(true), /^accepted/);
  assert.match(worded(await judge.judge(chain, issuers)), /^accepted/, 'behind a proxy there is no such verdict');
});

test('an approved issuer that is no root is unknown to OpenSSL, whose objection says nothing', async () => {
  const judgement = await judgeOf().judge(intermediate.issue().chain, [approve(intermediate)], { agrees: false });
  assert.match(worded(judgement), /^accepted/);
});

test('a refusal of ours stands as it is', async () => {
  const stranger = makeAuthority({ name: 'Stranger' }).issue();
  const judgement = await judgeOf().judge(stranger.chain, [approve(root)], { agrees: false });
  assert.match(worded(judgement), /^certificate-issuer-not-approved/);
});
