// Gateways of Debian protect a page with our tokens, by introspection alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { given, prepare } from '../given.ts';
import { aResourceServer } from '../samples.ts';
import { askPlainly, bearer } from './caller.ts';
import { GATEWAYS, PAGE } from './proxies/gateway.ts';

import { startService } from './service.ts';
import { CLIENT, forged, pairByCertificate, refreshed, revoke } from './steps.ts';

const { secret, hash } = drawResourceServerSecret(systemRandom);
const service = given(() => startService());
const ada = given(() => service.caller(service.ada));
prepare(() => service.put(resourceServers, aResourceServer({ secrets: [{ hash, createdAt: service.now() }] })));

for (const [name, start] of GATEWAYS) {
  const gateway = given(() => start(service, secret.reveal()));
  const open = (accessToken?: string) =>
    askPlainly(gateway.port, { path: '/orders', ...(accessToken && bearer(accessToken)) });

  test(`${name} shows a page for a token with the scope, and to nobody else [RFC 7662 2.2]`, async () => {
    const pair = await pairByCertificate(ada, CLIENT, 'orders:read;stock:read');
    const shown = await open(pair.access_token);
    assert.deepEqual([shown.status, shown.text], [200, PAGE]);
    assert.equal((await open((await refreshed(ada, pair)).access_token)).status, 200, 'the next generation too');
    const other = await pairByCertificate(ada, CLIENT, 'stock:read');
    const writeOnly = await pairByCertificate(ada, CLIENT, 'orders:write');
    for (const token of [undefined, 'x', forged(pair.access_token), pair.refresh_token, other.access_token])
      assert.equal((await open(token)).status, 401);
    assert.ok([401, 403].includes((await open(writeOnly.access_token)).status), 'the scope lacks orders:read');
  });

  test(`${name} refuses a token as soon as its grant is revoked [RFC 7662 2.2]`, async () => {
    const { access_token: token } = await pairByCertificate(ada, CLIENT, 'orders:read');
    assert.equal((await open(token)).status, 200);
    await revoke(ada, token);
    assert.equal((await open(token)).status, 401);
  });
}
