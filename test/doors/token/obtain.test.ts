// How token doors call the operations that several of them have.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Call, type TokenMount } from '../../../src/doors/token/call.ts';
import { obtainByCertificate, obtainDevice, scopeRequest } from '../../../src/doors/token/obtain.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { clientId } from '../../e2e/service.ts';
import { accepted, CURL, put } from '../../node.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { anIntegration } from '../../samples.ts';

async function aCall(t: TestContext) {
  const { node } = await onSqlite(t);
  const mount: Partial<TokenMount> = {
    ports: node,
    overLimit: () => undefined,
    overIntegrationLimit: () => undefined,
    capsFor: () => () => undefined,
    readConnection: () => ({ presenter: CURL }) as never,
    readPresented: () => ({ by: 'nothing' }),
  };
  return { node, call: new Call({ id: 'a request' } as never, mount as TokenMount) };
}

for (const [what, obtain] of [
  ['a certificate', obtainByCertificate],
  ['a device authorization', obtainDevice],
] as const)
  test(`the log names the integration of ${what}, also if it was registered a moment ago`, async (t) => {
    const { node, call } = await aCall(t);
    await put(node.store, integrations, anIntegration({ clientId: clientId('added-now') }));
    const asked = accepted(scopeRequest({ clientId: 'added-now', scope: 'orders:read' }, call));
    assert.match(call.record.clientId ?? '', /^unknown:[0-9a-f]{12}$/, 'what was sent could be a password');
    await obtain(asked, call);
    assert.equal(call.record.clientId, 'added-now');
  });
