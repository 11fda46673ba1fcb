// Revoked certificates, end to end: the first request after boot, the grants issued through them, the event.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { RevocationPolicy } from '../../src/core/issuer.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { extension } from '../signed-der.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Caller, json } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, startService, type TestService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, pairByCertificate, pairByDevice, refresh, verify } from './steps.ts';

const POLICY: RevocationPolicy = {
  ...{ crl: 'required', ocsp: 'off', crlFiles: [], endGrants: true },
  allowedAddresses: ['127.0.0.1'],
};
const OCSP_ACCESS = '1.3.6.1.5.5.7.48.1';

suite('revoked certificates', () => {
  const folder = temporaryFolder('lists');
  const authority = makeAuthority({ name: 'Listing Root' });
  const list = join(folder, 'ca.crl');
  const publish = (...revoked: readonly Issued[]) =>
    writeFileSync(list, authority.crl({ revoked: revoked.map(({ serial }) => serial) }));
  const ada = authority.issue({ commonName: 'ada' });
  const early = authority.issue({ commonName: 'ada' });
  const callerWith = (certificate?: Issued) => service.caller(certificate);
  const ask = (caller: Caller) =>
    caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });

  const revocation = { ...POLICY, crlFiles: [list] };
  publish(early);
  const service = given(() =>
    startService({ issuers: [{ label: 'listing', certificate: authority.certificate, revocation }] }),
  );

  test('a CRL is enforced on the first request after boot', async () => {
    assertRefused(await ask(callerWith(early)), 401, 'invalid_client', /revoked/);
  });

  test('the log of a refused request has the text of `tessera certificate explain`', () => {
    const line = service.logLines.find((text) => text.includes('certificate refused')) ?? assert.fail('nothing logged');
    const { steps } = JSON.parse(line) as { steps: string[] };
    assert.equal(steps.at(-1), 'FAIL crl-revoked [leaf CN=ada] a CRL lists it {revocation.crl: required}');
    assert.match(steps[0] ?? '', /^pass issuer-approved \[leaf CN=ada\] a path of signatures leads to the key/);
  });

  test('revoking a certificate ends exactly the grants issued through it, with an event', async () => {
    const caller = callerWith(ada);
    const bare = callerWith();
    const pair = await pairByCertificate(caller);
    const sibling = authority.issue({ commonName: 'ada' });
    const others = [await pairByCertificate(callerWith(sibling)), await pairByDevice(service, bare)];
    publish(early, ada);
    await eventually('the token is refused', async () => (await verify(bare, pair.access_token)).status === 401);
    assertRefused(await refresh(bare, pair.refresh_token), 400, 'invalid_grant', /revoked/);
    assertRefused(await ask(caller), 401, 'invalid_client', /revoked/);
    for (const { access_token } of others) assert.equal((await verify(bare, access_token)).status, 200);
    assert.deepEqual(await reasonsOfRevocations(service), ['certificate-revoked']);
  });

  test('the last list stays in force when its file is missing or damaged, and this is logged', async () => {
    writeFileSync(list, 'no list');
    await eventually('it is logged', () => service.logLines.some((line) => line.includes('it contains no CRL')));
    assertRefused(await ask(callerWith(early)), 401, 'invalid_client', /revoked/);
    publish(early, ada);
  });

  test('a list of another issuer with the same serial number revokes nothing', async () => {
    const other = makeAuthority({ name: 'Other Root' });
    const caller = other.issue({ commonName: 'ada', serial: early.serial });
    const ownList = join(folder, 'other.crl');
    writeFileSync(ownList, other.crl());
    const revocation = { ...POLICY, crlFiles: [ownList] };
    await service.put(issuers, anIssuer(other, { label: 'other', revocation }));
    await registryFollows();
    await eventually('the issuer is approved', async () => (await ask(callerWith(caller))).status === 200);
  });

  test('a stale list and a missing configured list both refuse the certificate', async () => {
    const stale = makeAuthority({ name: 'Stale Root' });
    const staleList = join(folder, 'stale.crl');
    writeFileSync(staleList, stale.crl({ nextUpdate: '2025-01-01' }));
    await service.put(issuers, anIssuer(stale, { label: 'stale', revocation: { ...POLICY, crlFiles: [staleList] } }));
    const lost = makeAuthority({ name: 'Lost Root' });
    const missing = join(folder, 'missing.crl');
    await service.put(issuers, anIssuer(lost, { label: 'lost', revocation: { ...POLICY, crlFiles: [missing] } }));
    await registryFollows();
    for (const root of [stale, lost]) {
      const answer = await ask(callerWith(root.issue({ commonName: 'ada' })));
      assertRefused(answer, 401, 'invalid_client', /could not be found out/);
    }
  });
});

suite('revocation by OCSP', () => {
  let state: 'good' | 'revoked' = 'good';
  const authority = makeAuthority({ name: 'Responding Root' });
  const answering = new Map<string, Issued>();
  const responder = createServer((request, response) => {
    const leaf = answering.get(request.url ?? '');
    // Answers with a short lifetime, so that the responder is queried again soon.
    const inSeconds = (length: number) => `${new Date((service.now() + length) * 1000).toISOString().slice(0, 19)}Z`;
    const times = { thisUpdate: inSeconds(-1), nextUpdate: inSeconds(3) };
    response.end(leaf && authority.ocsp(leaf.serial, { state, ...times }));
  });
  const issueAsking = (path: string): Issued => {
    const { port } = responder.address() as AddressInfo;
    const url = Buffer.from(`http://127.0.0.1:${port}${path}`);
    const access = writeSequence(writeSequence(writeOid(OCSP_ACCESS), write(contextTag(6, 'primitive'), url)));
    const leaf = authority.issue({ commonName: 'ada', extensions: [extension(EXTENSION.authorityInfoAccess, access)] });
    answering.set(path, leaf);
    return leaf;
  };

  const revocation: RevocationPolicy = { ...POLICY, crl: 'off', ocsp: 'if-available' };
  const service = given(() =>
    startService({ issuers: [{ label: 'asking', certificate: authority.certificate, revocation }] }),
  );
  before(() => new Promise<void>((resolve) => responder.listen(0, '127.0.0.1', resolve)));
  after(() => responder.close());

  test('an OCSP answer ends the grants of the certificate that was presented', async () => {
    const caller = service.caller(issueAsking('/one'));
    const pair = await pairByCertificate(caller);
    assert.equal((await verify(caller, pair.access_token)).status, 200);
    state = 'revoked';
    await eventually('the certificate is refused', async () => {
      service.pass(1);
      const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
      return answer.status === 401;
    });
    assert.equal((await verify(caller, pair.access_token)).status, 401);
    assert.deepEqual(new Set(await reasonsOfRevocations(service)), new Set(['certificate-revoked']));
  });
});

async function reasonsOfRevocations(service: TestService): Promise<unknown[]> {
  const events = await service.ports.store.events({ after: 0, limit: 1000 });
  return events.filter((event) => event.type === 'revoked').map(({ detail }) => detail.reason);
}
