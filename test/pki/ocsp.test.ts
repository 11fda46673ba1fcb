// OCSP: who may sign a response, how long it is valid, and which request it answers.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import type { Judgement } from '../../src/pki/judge/judge.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type CertificateOptions, makeAuthority } from '../authority.ts';
import { extension, rsaKeys } from '../signed-der.ts';
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
async function answered(...question: Parameters<typeof judged>): Promise<string> {
  return worded(await judged(...question));
}

async function judged(
  reply: (request: Uint8Array) => Uint8Array,
  { authority = root, chain = caller.chain, lists = [] as readonly Uint8Array[] } = {},
): Promise<Judgement> {
  const judge = new CertificateJudge({
    now: () => NOW,
    fetch: async (_url, init) => new Response(new Uint8Array(reply(init.body as Uint8Array))),
  });
  judge.revocation.useFiles(lists);
  return judge.judge(chain, [approve(authority, { revocation: OCSP_REQUIRED })]);
}

/** Requests end with the nonce of 16 octets. */
const nonceOf = (request: Uint8Array) => request.subarray(-16);

suite('an OCSP answer', () => {
  test('of a revoked delegate is ignored', async () => {
    const rsa = makeAuthority({ name: 'RSA Root', keys: rsaKeys() });
    const usages = [OCSP_SIGNING];
    const by = (responder: ReturnType<typeof root.issue>, lists: readonly Uint8Array[] = []) =>
      answered(() => root.ocsp(caller.serial, { responder }), { lists });
    const delegate = root.issue({ usages });
    assert.equal(await by(delegate, [root.crl()]), 'accepted caller');
    assert.equal(await by(delegate, [root.crl({ revoked: [delegate.serial] })]), UNKNOWN);
    assert.equal(await by(delegate, [root.crl({ version: 1, revoked: [delegate.serial] })]), UNKNOWN);
    const below = rsa.issue(asked);
    const byRsa = (options: CertificateOptions) => {
      const responder = rsa.issue({ usages, ...options });
      return answered(() => rsa.ocsp(below.serial, { responder }), { authority: rsa, chain: below.chain });
    };
    assert.equal(await byRsa({}), 'accepted caller');
  });
});

test('an OCSP answer that revokes counts until it ends, also while its responder is silent', async () => {
  let isSilent = false;
  const times = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T14:00:00Z' };
  const revoke = (request: Uint8Array) =>
    root.ocsp(caller.serial, { state: 'revoked', nonce: nonceOf(request), ...times });
  const { ask } = moving((request) => (isSilent ? undefined : revoke(request)), {}, 'if-available');
  const verdict = 'certificate-revoked: ocsp-revoked';
  assert.equal(await ask(0), verdict);
  isSilent = true;
  await ask(100 * MINUTE, root.issue({ ...asked, keys: caller.keys }).chain); // from now on there is a pause
  for (const after of [1, 4]) assert.equal(await ask(100 * MINUTE + after), verdict);
  assert.equal(await ask(119 * MINUTE), verdict);
});

/** A judge whose clock moves, and a responder that counts. */
function moving(
  reply: (request: Uint8Array) => Uint8Array | undefined | Promise<undefined>,
  limits = {},
  ocsp: ApprovedIssuer['revocation']['ocsp'] = 'required',
) {
  const state = { now: NOW, requests: 0 };
  const judge = new CertificateJudge({
    now: () => state.now,
    limits,
    fetch: async (_url, init) => {
      state.requests++;
      const body = await reply(init.body as Uint8Array);
      return body ? new Response(new Uint8Array(body)) : new Response('', { status: 503 });
    },
  });
  const issuers = [approve(root, { revocation: { ...OCSP_REQUIRED, ocsp } })];
  const ask = async (after: number, chain = caller.chain) => {
    state.now = epochSeconds(NOW + after);
    return worded(await judge.judge(chain, issuers));
  };
  return { state, ask };
}

const MINUTE = 60;

suite('an OCSP answer without a nonce', () => {
  test('is trusted for an hour, then requested again', async () => {
    const { state, ask } = moving(() => root.ocsp(caller.serial));
    assert.equal(await ask(0), 'accepted caller');
    assert.equal(await ask(59 * MINUTE), 'accepted caller');
    assert.equal(state.requests, 1);
    assert.equal(await ask(61 * MINUTE), 'accepted caller');
    assert.equal(state.requests, 2);
  });
});

test('a fresh OCSP answer is requested once, with whatever its certificate is sent; nobody waits while it is renewed', async (t) => {
  const { promise: held, resolve } = Promise.withResolvers<undefined>();
  t.after(() => resolve(undefined));
  let isSlow = false;
  const times = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T14:00:00Z' };
  const reply = (request: Uint8Array) => root.ocsp(caller.serial, { nonce: nonceOf(request), ...times });
  const { state, ask } = moving((request) => (isSlow ? held : reply(request)));
  const chains = ['A', 'B', 'C'].map((name) => [...caller.chain, root.makeIntermediate({ name }).certificate]);
  for (const chain of chains.slice(0, 2)) assert.equal(await ask(0, chain), 'accepted caller');
  assert.equal(state.requests, 1);
  isSlow = true;
  assert.equal(await ask(100 * MINUTE, chains[2]), 'accepted caller');
  assert.equal(state.requests, 2);
});
