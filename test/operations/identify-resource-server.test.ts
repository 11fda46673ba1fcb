// How a resource server proves which one it is, and what that charges. By an access token: e2e/introspection-callers.test.ts.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Presented } from '../../src/core/certificate.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import type { ResourceServer } from '../../src/core/resource-server.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import type { CheckedToken } from '../../src/operations/grant/check-token.ts';
import {
  identifyResourceServer,
  isPresentedRightly,
  type ResourceServerProof,
} from '../../src/operations/grant/identify-resource-server.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { ISSUER, MARK, NO_DIRECTORY, put, THUMBPRINT } from '../node.ts';
import { ADA, aGrant, anIdentity, aResourceServer, NOW } from '../samples.ts';
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

test('a token that is bound to a key speaks for nobody: no proof of a key is taken here', async () => {
  const bound = { jkt: 'a key', boundTo: undefined, grant: aGrant() } as Partial<CheckedToken> as CheckedToken;
  assert.equal(await isPresentedRightly(bound, {} as never, {} as never), false);
  assert.equal(await isPresentedRightly({ ...bound, jkt: undefined }, {} as never, {} as never), true);
});
