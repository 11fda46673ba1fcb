// Refreshes bound to a certificate, over real TLS: per integration none, identity or certificate.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { issuers } from '../../src/store/tables/issuers.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { anIntegration } from '../samples.ts';
import { type Caller, callerOver, reachOf } from './caller.ts';
import { anIssuer, clientId, startService, type TestService } from './service.ts';
import { assertRefused, CLIENT, pairByCertificate, pairByDevice, refresh, refreshed, verify } from './steps.ts';

const BOUND = 'bound';
const BY_IDENTITY = 'bound-to-identity';

suite('a grant bound to its certificate', () => {
  let service: TestService;
  let bare: Caller;
  const callers: Caller[] = [];
  const callerWith = (certificate?: Issued): Caller => {
    const caller = callerOver('HTTP/1.1', reachOf(service, certificate));
    callers.push(caller);
    return caller;
  };
  const certificateOf = (commonName: string, keys?: Issued['keys']) =>
    service.authority.issue({ commonName, ...(keys && { keys }) });

  before(async () => {
    service = await startService();
    await service.put(issuers, anIssuer(other, { label: 'other' }));
    await service.register(anIntegration({ clientId: clientId(BY_IDENTITY), binding: 'identity' }));
    bare = callerWith();
  });
  after(async () => {
    for (const caller of callers) caller.close();
    await service.stop();
  });
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
