// How a resource server proves which one it is: by a secret, an access token or a certificate.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Presented } from '../../src/core/certificate.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import type { ResourceServer } from '../../src/core/resource-server.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import {
  identifyResourceServer,
  type ResourceServerProof,
} from '../../src/operations/grant/identify-resource-server.ts';
import { createGrant, type GrantDraft } from '../../src/operations/grant/issue-grant.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { accepted, CURL, changeAda, ISSUER, MARK, NO_DIRECTORY, type Node, put, THUMBPRINT } from '../node.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, hexOf, NOW, scopeOf } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const { secret, hash } = drawResourceServerSecret(systemRandom);
const API = aResourceServer({ identity: ADA, secrets: [{ hash, createdAt: NOW }] });
const CERTIFICATE: Presented = { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false };
const NOTHING: Presented = { by: 'nothing' };

/** Certificates are those of Ada. */
function ofAda(thumbprint = THUMBPRINT): Partial<CallerPorts> {
  const name = { source: 'common-name', name: 'ada' } as const;
  const verdict: Verdict = { outcome: accept({ issuer: ISSUER, name, mark: MARK, thumbprint, until: NOW }), steps: [] };
  const directories = sideBySide({ ...NO_DIRECTORY, byUserName: async () => [anIdentity()] });
  return { judge: async () => verdict, directories };
}

async function scene(t: TestContext, server: Partial<ResourceServer> = {}) {
  const { node } = await onSqlite(t);
  await put(node.store, resourceServers, { ...API, ...server });
  await node.registry.refresh();
  return node;
}

/** The id of the resource server, or why it is refused; and how often that was charged. */
async function identified(proof: ResourceServerProof, node: CallerPorts, isLimited = false) {
  let charged = 0;
  const overLimit = () => {
    charged++;
    return isLimited ? ({ reason: 'rate-limited' } as const) : undefined;
  };
  const outcome = await identifyResourceServer(proof, node, overLimit);
  return [outcome.ok ? outcome.value.id : outcome.refusal.reason, charged];
}

const bySecret = (text: string, id: string = API.id) => ({ by: 'secret', id, secret: text }) as const;
const PROVEN = [API.id, 0];
const UNPROVEN = ['resource-server-unproven', 1];

test('by a secret of its own; failed attempts are charged', async (t) => {
  const node = await scene(t);
  assert.deepEqual(await identified(bySecret(secret.reveal()), node), PROVEN);
  assert.deepEqual(await identified(bySecret('tsc_other'), node), UNPROVEN);
  assert.deepEqual(await identified(bySecret(secret.reveal(), 'other'), node), UNPROVEN);
  assert.deepEqual(await identified(bySecret('tsc_other'), node, true), ['rate-limited', 1]);
  const disabled = await scene(t, { enabled: false });
  assert.deepEqual(await identified(bySecret(secret.reveal()), disabled), UNPROVEN);
});

test('also if it was registered a moment ago', async (t) => {
  const { node } = await onSqlite(t);
  await put(node.store, resourceServers, API);
  assert.deepEqual(await identified(bySecret(secret.reveal()), node, true), ['rate-limited', 1]);
  assert.deepEqual(await identified(bySecret(secret.reveal()), node), [API.id, 1]);
});

test('by the certificate of the identity that speaks for it', async (t) => {
  const node = { ...(await scene(t)), ...ofAda() };
  const proof = (id?: string) => ({ by: 'certificate', id, presented: CERTIFICATE, requestId: 'r' }) as const;
  assert.deepEqual(await identified(proof(), node), PROVEN);
  assert.deepEqual(await identified(proof(API.id), node), PROVEN);
  assert.deepEqual(await identified(proof('other'), node), UNPROVEN);
  const missing = { ...proof(), presented: NOTHING };
  assert.deepEqual(await identified(missing, node), ['certificate-missing', 1]);
  let judged = 0;
  const judge = async (): Promise<Verdict> => {
    judged++;
    return { outcome: refuse('certificate-expired'), steps: [] };
  };
  assert.deepEqual(await identified(proof(), { ...node, judge }), ['certificate-expired', 1]);
  assert.equal(judged, 1, 'it would not be better if read again');
});

/** An access token of Ada, for the service alone. */
async function tokenOf(node: Node, draft: Partial<GrantDraft> = {}, scope = 'stock:read'): Promise<string> {
  const pair = await createGrant(
    {
      integration: anIntegration({ scope: scopeOf('orders:read;stock:read') }),
      identity: anIdentity(),
      target: { scope: scopeOf(scope), resource: undefined },
      origin: { kind: 'device' },
      presenter: CURL,
      ...draft,
    },
    node,
  );
  return accepted(pair).accessToken.reveal();
}

test('by an access token of the identity that speaks for it, which is good for nothing else', async (t) => {
  const node = await scene(t);
  const proof = (accessToken: string, id?: string) =>
    ({ by: 'access-token', id, accessToken, presented: NOTHING, requestId: 'r' }) as const;
  const token = await tokenOf(node);
  assert.deepEqual(await identified(proof(token), node), PROVEN);
  assert.deepEqual(await identified(proof(token, API.id), node), PROVEN);
  assert.deepEqual(await identified(proof(token, 'other'), node), UNPROVEN);
  assert.deepEqual(await identified(proof(`${token}x`), node), UNPROVEN);
  const target = { scope: scopeOf('stock:read'), resource: [API.audience] };
  const parent = { grantId: hexOf(16) as string as never, generation: 0 };
  const others = [
    await tokenOf(node, {}, 'orders:read'), // the API has it, too
    await tokenOf(node, { target }),
    await tokenOf(node, { jkt: 'a key' }),
    await tokenOf(node, { terms: { parent } }),
  ];
  for (const other of others) assert.deepEqual(await identified(proof(other), node), UNPROVEN);
  await changeAda(node, { enabled: false });
  assert.deepEqual(await identified(proof(token), node), UNPROVEN);
});

test('a token that is bound to a certificate comes with it', async (t) => {
  const node = await scene(t);
  const accessToken = await tokenOf(node, { thumbprint: THUMBPRINT, isBound: true });
  const proof = (presented: Presented) =>
    ({ by: 'access-token', id: undefined, accessToken, presented, requestId: 'r' }) as const;
  assert.deepEqual(await identified(proof(CERTIFICATE), { ...node, ...ofAda() }), PROVEN);
  assert.deepEqual(await identified(proof(NOTHING), { ...node, ...ofAda() }), UNPROVEN);
  assert.deepEqual(await identified(proof(CERTIFICATE), { ...node, ...ofAda(hexOf(32, 8)) }), UNPROVEN);
});
