// How often this service fetches the keys of guests, from a real server on loopback.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { composeGuests } from '../../src/compose/guests.ts';
import type { Config } from '../../src/config/schema.ts';
import type { ClientUrl } from '../../src/core/client-document.ts';
import { makeLog } from '../../src/log/log.ts';
import type { Ports } from '../../src/operations/ports.ts';
import { DocumentServer } from '../document-server.ts';
import { given } from '../given.ts';
import { TestClock } from '../node.ts';
import { anIntegration } from '../samples.ts';

const documents = given(() => DocumentServer.open());
const OURS = 'https://auth.example';
const KEYS = generateKeyPairSync('ed25519');
const WRONG = generateKeyPairSync('ed25519').privateKey;
const SET = JSON.stringify({ keys: [{ ...KEYS.publicKey.export({ format: 'jwk' }), kid: 'one' }] });

/** The guests of a service, at a clock of the test. */
function opened() {
  const clock = new TestClock();
  const hosts = [{ host: new URL(documents.origin).host, redirects: 'own' }];
  const config = { oauth: { clientDocumentAddresses: ['127.0.0.1'] } } as unknown as Config;
  const ports = { settings: { clientDocuments: { hosts } } } as unknown as Ports;
  const log = makeLog({ level: 'silent', format: 'json', milliseconds: () => 0 });
  return { clock, guests: composeGuests(config, ports, log, { ourIssuer: OURS, now: clock.now }) };
}

/** The one at this path. */
function aGuest(path: string, set: string, { clock, guests } = opened()) {
  const jwks_uri = `${documents.origin}${path}-keys`;
  const proof = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri };
  documents.served.set(path, documents.document(path, proof));
  documents.served.set(`${path}-keys`, set);
  const url = `${documents.origin}${path}` as ClientUrl;
  const judge = async (key: KeyObject, by = 'a grant') => {
    const claims = { iss: url, sub: url, aud: OURS, jti: 'x', iat: clock.now(), exp: clock.now() + 60 };
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: 'one' }).sign(key);
    const verdict = await guests.judge(assertion, { url, integration: anIntegration() }, by);
    return verdict.ok && verdict.value.outcome.ok;
  };
  const anHour = async () => {
    for (let minute = 0; minute < 60; minute++) {
      clock.move(60);
      await guests.renewKeys();
    }
  };
  const fetched = () => documents.asked.filter((each) => each === `${path}-keys`).length;
  return { judge, anHour, fetched, renewKeys: guests.renewKeys };
}

test('the keys of a guest are renewed in the background once it has authenticated, for an hour', async () => {
  const { judge, anHour, fetched } = aGuest('/proven', SET);
  assert.equal(await judge(KEYS.privateKey), true);
  await anHour();
  await anHour();
  assert.equal(fetched(), 6, 'every 10 minutes; the last time is past the hour');
});

for (const [name, set] of Object.entries({ 'are no keys': '<html>', 'are those of others': SET }))
  test(`an address of keys that ${name} is fetched for the request alone`, async () => {
    const { judge, anHour, fetched } = aGuest(`/unproven-${set.length}`, set);
    assert.equal(await judge(WRONG), false);
    await anHour();
    assert.equal(fetched(), 1);
  });

test('keys that cannot be fetched are not fetched again within a minute, whatever is renewed', async () => {
  const { judge, fetched, renewKeys } = aGuest('/failing', '<html>');
  for (let each = 0; each < 5; each++) {
    assert.equal(await judge(KEYS.privateKey), false);
    await renewKeys();
  }
  assert.equal(fetched(), 1);
});

test('fetches of keys count among the ten a minute of the grant that causes them', async () => {
  const service = opened();
  const judged: boolean[] = [];
  for (let each = 0; each < 7; each++)
    judged.push(await aGuest(`/of-one-${each}`, SET, service).judge(KEYS.privateKey));
  assert.deepEqual(judged, [true, true, true, true, true, false, false]);
  assert.ok(!documents.asked.some((path) => path.startsWith('/of-one-5')), 'not even the document');
  assert.equal(await aGuest('/of-one-6', SET, service).judge(KEYS.privateKey, 'another grant'), true);
});
