// Refreshes bound to a certificate, over real TLS: per integration none, identity or certificate.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { issuers } from '../../src/store/tables/issuers.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { given } from '../given.ts';
import { anIntegration } from '../samples.ts';
import type { Caller } from './caller.ts';
import { INTROSPECT, ORDERS, ordersServer } from './introspection-scene.ts';
import { basic, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, clientId, startService } from './service.ts';
import {
  assertRefused,
  CLIENT,
  type Pair,
  pairByCertificate,
  pairByDevice,
  refresh,
  refreshed,
  verify,
} from './steps.ts';

const BOUND = 'bound';
const BOUND_JWT = 'bound-jwt';
const BY_IDENTITY = 'bound-to-identity';

const thumbprintOf = ({ chain }: Issued) => hash('sha256', chain[0] ?? '', 'base64url');
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

suite('a grant bound to its certificate', () => {
  const callerWith = (certificate?: Issued) => service.caller(certificate);
  const certificateOf = (commonName: string, keys?: Issued['keys']) =>
    service.authority.issue({ commonName, ...(keys && { keys }) });

  const service = given(() => startService({ signing: 'EdDSA' }));
  const bare = given(() => service.caller());
  before(async () => {
    await service.put(issuers, anIssuer(other, { label: 'other' }));
    await service.register(anIntegration({ clientId: clientId(BY_IDENTITY), binding: 'identity' }));
    await service.register(
      anIntegration({ clientId: clientId(BOUND_JWT), binding: 'certificate', accessTokenFormat: 'jwt' }),
    );
    await service.put(resourceServers, ordersServer(service));
    await registryFollows();
  });
  const introspect = async (token: string) =>
    (await postForm(bare, INTROSPECT, { token }, basic(ORDERS.id, ORDERS.secret))).json;
  const other = makeAuthority({ name: 'Other Root' });

  const assertUnmet = async (caller: Caller, refreshToken: string, client: string) =>
    assertRefused(await refresh(caller, refreshToken, client), 400, 'invalid_grant', /bound to a client certificate/);

  for (const client of [BOUND, BY_IDENTITY]) {
    test(`is not refreshed without a certificate, and nothing is spent (${client})`, async () => {
      const ada = callerWith(service.ada);
      const pair = await pairByCertificate(ada, client);
      await assertUnmet(bare, pair.refresh_token, client);
      await refreshed(ada, pair, client);
    });

    test(`is not renewed by a sibling certificate of the same issuer (CVE-2026-39388) (${client})`, async () => {
      const pair = await pairByCertificate(callerWith(service.ada), client);
      await assertUnmet(callerWith(certificateOf('mallory')), pair.refresh_token, client);
      assert.equal((await verify(bare, pair.access_token)).status, 200);
    });

    test(`is not ended by a spent token without the certificate (${client})`, async () => {
      const ada = callerWith(service.ada);
      const first = await pairByCertificate(ada, client);
      const second = await refreshed(ada, first, client);
      const third = await refreshed(ada, second, client);
      await assertUnmet(bare, first.refresh_token, client);
      await refreshed(ada, third, client);
    });

    test(`is not refreshed with the same name from another approved issuer (${client})`, async () => {
      const pair = await pairByCertificate(callerWith(service.ada), client);
      await assertUnmet(callerWith(other.issue({ commonName: 'ada' })), pair.refresh_token, client);
    });

    test(`is not refreshed with an expired certificate of its own key (${client})`, async () => {
      const pair = await pairByCertificate(callerWith(service.ada), client);
      const expired = service.authority.issue({ commonName: 'ada', keys: service.ada.keys, notAfter: '2025-01-01' });
      await assertUnmet(callerWith(expired), pair.refresh_token, client);
    });

    test(`survives renewal of the certificate with the same key (${client})`, async () => {
      const pair = await pairByCertificate(callerWith(service.ada), client);
      await refreshed(callerWith(certificateOf('ada', service.ada.keys)), pair, client);
    });
  }

  for (const client of [BOUND, BOUND_JWT]) {
    test(`renewed with the same key, binds the tokens of a refresh; earlier ones stay bound to theirs (${client})`, async () => {
      const ada = callerWith(service.ada);
      const first = await pairByCertificate(ada, client);
      const renewed = certificateOf('ada', service.ada.keys);
      const second = await refreshed(callerWith(renewed), first, client);
      const lost = await refreshed(ada, first, client);
      assert.equal(lost.access_token, second.access_token, 'a retry with the older certificate gets the same pair');
      const [old, current] = [service.ada, renewed].map(thumbprintOf);
      for (const [{ access_token }, bound] of [
        [first, old],
        [second, current],
      ] as const) {
        for (const answer of [await introspect(access_token), (await verify(bare, access_token)).json])
          assert.deepEqual(answer['cnf'], { 'x5t#S256': bound });
      }
      if (client === BOUND_JWT) assert.deepEqual(claimsOf(second.access_token)['cnf'], { 'x5t#S256': current });
      const third = await refreshed(callerWith(renewed), second, client);
      assert.deepEqual((await introspect(third.access_token))['cnf'], { 'x5t#S256': current });
      assert.deepEqual((await introspect(first.access_token))['cnf'], { 'x5t#S256': old });
    });
  }

  for (const client of [BOUND, BOUND_JWT]) {
    test(`names the certificate of each token, however often it was renewed (${client})`, async () => {
      const pairs = [await pairByCertificate(callerWith(service.ada), client)];
      const certificates = [service.ada];
      for (let renewal = 0; renewal < 3; renewal++) {
        const renewed = certificateOf('ada', service.ada.keys);
        certificates.push(renewed);
        pairs.push(await refreshed(callerWith(renewed), pairs.at(-1) as Pair, client));
      }
      for (const [index, { access_token }] of pairs.entries())
        for (const answer of [await introspect(access_token), (await verify(bare, access_token)).json])
          assert.deepEqual(answer['cnf'], { 'x5t#S256': thumbprintOf(certificates[index] as Issued) });
    });

    test(`is not bound any more by a refresh after its integration stopped binding; earlier tokens are (${client})`, async () => {
      const released = `released-${client}`;
      const register = (binding: 'certificate' | 'none') =>
        service.register(
          anIntegration({
            ...{ clientId: clientId(released), binding },
            accessTokenFormat: client === BOUND ? 'opaque' : 'jwt',
          }),
        );
      await register('certificate');
      const first = await pairByCertificate(callerWith(service.ada), released);
      await register('none');
      await registryFollows();
      const second = await refreshed(callerWith(certificateOf('ada', service.ada.keys)), first, released);
      const third = await refreshed(bare, second, released);
      const bound = { 'x5t#S256': thumbprintOf(service.ada) };
      for (const [{ access_token }, cnf] of [
        [first, bound],
        [second, undefined],
        [third, undefined],
      ] as const) {
        assert.deepEqual((await introspect(access_token))['cnf'], cnf);
        if (client === BOUND_JWT) assert.deepEqual(claimsOf(access_token)['cnf'], cnf);
      }
    });
  }

  test('does not answer for a token whose certificate it has forgotten, and keeps the newest', async () => {
    let pair = await pairByCertificate(callerWith(service.ada), BOUND);
    const oldest = pair.access_token;
    for (let renewal = 0; renewal < 8; renewal++)
      pair = await refreshed(callerWith(certificateOf('ada', service.ada.keys)), pair, BOUND);
    assert.deepEqual(await introspect(oldest), { active: false });
    assertRefused(await verify(bare, oldest), 401, 'invalid_token', /superseded/);
    assert.equal((await introspect(pair.access_token))['active'], true);
  });

  test('is bound by its next refresh if its integration binds since; tokens without binding have no cnf', async () => {
    const late = 'bound-later';
    await service.register(anIntegration({ clientId: clientId(late) }));
    const first = await pairByCertificate(callerWith(service.ada), late);
    await service.register(anIntegration({ clientId: clientId(late), binding: 'certificate' }));
    const second = await refreshed(callerWith(service.ada), first, late);
    const bound = { 'x5t#S256': thumbprintOf(service.ada) };
    for (const [{ access_token }, cnf] of [
      [first, undefined],
      [second, bound],
    ] as const)
      assert.deepEqual((await verify(bare, access_token)).json['cnf'], cnf);
  });

  test('to the identity survives renewal of the certificate with a new key', async () => {
    const pair = await pairByCertificate(callerWith(service.ada), BY_IDENTITY);
    await refreshed(callerWith(certificateOf('ada')), pair, BY_IDENTITY);
  });

  test('to the certificate does not survive a new key, even of the same identity', async () => {
    const pair = await pairByCertificate(callerWith(service.ada), BOUND);
    await assertUnmet(callerWith(certificateOf('ada')), pair.refresh_token, BOUND);
  });

  test('is opt-in: without binding a refresh needs no certificate', async () => {
    const pair = await pairByCertificate(callerWith(service.ada), CLIENT);
    await refreshed(bare, pair, CLIENT);
  });

  test('comes from Authorize/Certificate only: a device grant is not bound', async () => {
    const pair = await pairByDevice(service, bare, BOUND);
    await refreshed(bare, pair, BOUND);
  });
});
