// A stream of the revocation feed ends soon after what opened it: an access token, a certificate, an identity.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { enableIdentity } from '../../src/operations/admin/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { eventually } from '../eventually.ts';
import { ADA, anIntegration, aResourceServer, OPERATOR, scopeOf } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { bearer, reachOf } from './caller.ts';
import { type Follower, followFeed } from './feed-follower.ts';
import { FEED } from './feed-scene.ts';
import { clientId, startService, type TestService } from './service.ts';
import { pairByCertificate, revoke } from './steps.ts';

const folder = temporaryFolder('lists');
const list = join(folder, 'ca.crl');
const authority = makeAuthority({ name: 'Listing Root' });
const publish = (...revoked: readonly Issued[]) =>
  writeFileSync(list, authority.crl({ revoked: revoked.map(({ serial }) => serial) }));
const [good, lost] = [authority.issue({ commonName: 'ada' }), authority.issue({ commonName: 'ada' })];
const followers: Follower[] = [];
let service: TestService;

before(async () => {
  publish();
  const revocation = { crl: 'required', ocsp: 'off', crlFiles: [list], endGrants: true, allowedAddresses: [] } as const;
  service = await startService({ issuers: [{ certificate: authority.certificate, revocation }] });
  await service.put(resourceServers, aResourceServer({ identity: ADA }));
  await service.register(anIntegration({ clientId: clientId('speaks'), scope: scopeOf('introspection:use') }));
});
after(async () => {
  for (const follower of followers) follower.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function follow(
  certificate: Issued | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Follower> {
  const caller = service.caller(certificate);
  const { cursor } = (await caller.ask({ path: FEED, headers })).json;
  caller.close();
  const follower = await followFeed(reachOf(service, certificate), { ...headers, 'last-event-id': String(cursor) });
  assert.equal(follower.status, 200);
  followers.push(follower);
  return follower;
}

test('a revoked token, a revoked certificate and a disabled identity end the streams that they opened, and no other', async () => {
  const caller = service.caller(good);
  const tokenOf = async () => (await pairByCertificate(caller, 'speaks', 'introspection:use')).access_token;
  const [token, other] = [await tokenOf(), await tokenOf()];
  const byToken = await follow(undefined, bearer(token).headers as Record<string, string>);
  const byOther = await follow(undefined, bearer(other).headers as Record<string, string>);
  const [byLost, byGood] = [await follow(lost), await follow(good)];
  await revoke(caller, token);
  publish(lost);
  caller.close();
  await eventually('the first two are over', () => !byToken.isOpen && !byLost.isOpen);
  assert.deepEqual([byOther.isOpen, byGood.isOpen], [true, true]);
  assert.ok((await enableIdentity(ADA, false, { store: service.ports.store, by: OPERATOR })).ok);
  await eventually('the others are over, too', () => !byOther.isOpen && !byGood.isOpen);
});
