// What is sent to an OCSP responder, when it is asked again, and how long its answers are kept.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import type { FetchInit } from '../../src/outbound/download.ts';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { OcspClient } from '../../src/pki/revocation/ocsp-client.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension, integer, keyBits } from '../signed-der.ts';
import { approve, CRL_REQUIRED, NOW } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const uri = write(contextTag(6, 'primitive'), Buffer.from('http://ocsp.test/'));
const access = writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), uri));
const issuer = approve(root, { revocation: { ...CRL_REQUIRED, allowedAddresses: ['10.0.0.0/8'] } });
const at = (after: number) => new Date((NOW + after) * 1000).toISOString();

function certificateOf(der: Uint8Array) {
  const read = readCertificate(der);
  return read.ok ? read.value : assert.fail();
}

const aPair = () => ({
  certificate: certificateOf(
    root.issue({ extensions: [extension(EXTENSION.authorityInfoAccess, access)] }).certificate,
  ),
  issuer: certificateOf(root.certificate),
});

type Reply = (serial: Uint8Array, nonce: Uint8Array) => Uint8Array | undefined;

function scene(first: Reply) {
  const state = { now: NOW, reply: first, requests: [] as { url: string; init: FetchInit }[] };
  const pair = aPair();
  const client = new OcspClient({
    now: () => state.now,
    withoutNonce: seconds(100),
    fetch: async (url, init) => {
      state.requests.push({ url, init });
      const body = state.reply(pair.certificate.serial, (init.body as Uint8Array).subarray(-16));
      return body ? new Response(new Uint8Array(body)) : new Response('', { status: 503 });
    },
  });
  /** The state of the response that counts then, and how many requests there were. */
  const ask = async (after: number, of = pair) => {
    state.now = epochSeconds(NOW + after);
    const response = await client.need(of, issuer);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    return [response?.answers[0]?.state, state.requests.length];
  };
  return { state, pair, client, ask };
}

const good: Reply = (serial, nonce) => root.ocsp(serial, { nonce, thisUpdate: at(0), nextUpdate: at(1_000) });

test('a request names the certificate by hashes and serial number, with a nonce of 16 octets (RFC 6960 4.1, RFC 9654)', async () => {
  const { state, pair, ask } = scene(good);
  assert.deepEqual(await ask(0), ['good', 1]);
  const [{ url, init } = assert.fail()] = state.requests;
  const nonce = (init.body as Uint8Array).subarray(-16);
  const id = writeSequence(
    writeSequence(writeOid('1.3.14.3.2.26'), write(TAG.null)),
    write(TAG.octetString, hash('sha1', root.subject, 'buffer')),
    write(TAG.octetString, hash('sha1', keyBits(root.keys), 'buffer')),
    integer(pair.certificate.serial),
  );
  const extensions = writeSequence(extension('1.3.6.1.5.5.7.48.1.2', write(TAG.octetString, nonce)));
  const body = writeSequence(writeSequence(writeSequence(writeSequence(id)), writeContext(2, extensions)));
  assert.deepEqual(Buffer.from(init.body as Uint8Array), Buffer.from(body));
  assert.deepEqual(
    [url, init.method, init.headers, init.allowed],
    ['http://ocsp.test/', 'POST', { 'content-type': 'application/ocsp-request' }, ['10.0.0.0/8']],
  );
});

suite('a response', () => {
  test('with our nonce is kept until it ends, and renewed at four fifths of its lifetime', async () => {
    const { state, ask } = scene(good);
    for (const after of [0, 799]) assert.deepEqual(await ask(after), ['good', 1]);
    state.reply = () => undefined;
    assert.deepEqual(await ask(800), ['good', 2]);
    assert.deepEqual(await ask(859), ['good', 2]);
    assert.deepEqual(await ask(860), ['good', 3], 'a minute after the failure');
    assert.deepEqual(await ask(979), ['good', 3]);
    assert.deepEqual(await ask(980), ['good', 4], 'two minutes after the next');
  });

  test('without a nonce is trusted for as long as the setting says', async () => {
    const { state, client, pair, ask } = scene((serial) =>
      root.ocsp(serial, { thisUpdate: at(0), nextUpdate: at(1_000) }),
    );
    assert.deepEqual(await ask(0), ['good', 1]);
    assert.equal((await client.need(pair, issuer))?.trustedUntil, NOW + 100);
    state.reply = () => undefined;
    assert.deepEqual(await ask(99), ['good', 1]);
    assert.deepEqual(await ask(100), ['good', 2]);
  });

  test('with another nonce, or not valid yet, replaces none', async () => {
    for (const reply of [
      (serial: Uint8Array) => root.ocsp(serial, { nonce: Buffer.alloc(16), state: 'unknown' }),
      (serial: Uint8Array, nonce: Uint8Array) => root.ocsp(serial, { nonce, thisUpdate: at(1_101), state: 'unknown' }),
    ]) {
      const { state, ask } = scene(good);
      await ask(0);
      state.reply = reply;
      assert.deepEqual(await ask(800), ['good', 2]);
      assert.deepEqual(await ask(801), ['good', 2]);
    }
    const { state, ask } = scene(good);
    await ask(0);
    state.reply = (serial, nonce) => root.ocsp(serial, { nonce, thisUpdate: at(1_101), state: 'revoked' });
    await ask(800);
    assert.deepEqual(await ask(801), ['revoked', 2], 'but it revokes');
  });

  test('that cannot be read is no pause for other certificates', async () => {
    const { state, ask } = scene(() => Buffer.from('junk'));
    assert.deepEqual(await ask(0), [undefined, 1]);
    assert.deepEqual(await ask(1, aPair()), [undefined, 2]);
    assert.deepEqual(await ask(59), [undefined, 2]);
    state.reply = good;
    assert.deepEqual(await ask(60), ['good', 3]);
  });
});

test('a silent responder is left alone for 5 seconds, then for twice as long after each failure', async () => {
  const { state, ask } = scene(() => undefined);
  assert.deepEqual(await ask(0), [undefined, 1]);
  assert.deepEqual(await ask(4, aPair()), [undefined, 1]);
  assert.deepEqual(await ask(5, aPair()), [undefined, 2]);
  assert.deepEqual(await ask(14, aPair()), [undefined, 2]);
  assert.deepEqual(await ask(15, aPair()), [undefined, 3]);
  state.reply = () => Buffer.from('it answers');
  assert.deepEqual(await ask(35, aPair()), [undefined, 4]);
  state.reply = () => undefined;
  assert.deepEqual(await ask(36, aPair()), [undefined, 5]);
  assert.deepEqual(await ask(40, aPair()), [undefined, 5]);
  assert.deepEqual(await ask(41, aPair()), [undefined, 6], 'the first delay again');
});
