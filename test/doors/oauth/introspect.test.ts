// Whether what opened a stream still proves its resource server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceServer, ResourceServerId } from '../../../src/core/resource-server.ts';
import { isStillProven } from '../../../src/doors/oauth/introspect.ts';
import type { OauthCall } from '../../../src/doors/oauth/mount.ts';
import { systemRandom } from '../../../src/system.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import { basic } from '../../e2e/oauth-steps.ts';
import { aResourceServer, NOW } from '../../samples.ts';

test('a resource server is proven as long as its secret is its own, and it is the one that asked', async () => {
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const server = aResourceServer({ secrets: [{ hash, createdAt: NOW }] });
  const proven = (headers: object, known: readonly ResourceServer[], asked = server) => {
    const registry = { resourceServers: known, lookForResourceServers: async () => known };
    const presentation = { presented: { by: 'nothing' }, requestId: 'r' };
    const call = { request: { headers }, presentation, mount: { ports: { registry } } };
    return isStillProven(asked, {}, call as unknown as OauthCall);
  };
  const proof = basic(server.id, secret.reveal());
  assert.equal(await proven(proof, [server]), true);
  for (const [what, headers, known, asked] of [
    ['another secret', proof, [{ ...server, secrets: [] }], server],
    ['disabled', proof, [{ ...server, enabled: false }], server],
    ['another server', proof, [server], { ...server, id: 'another' as ResourceServerId }],
    ['no proof', {}, [server], server],
  ] as const)
    assert.equal(await proven(headers, known, asked), false, what);
});
