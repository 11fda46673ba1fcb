import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineNode } from '../../src/cli/doctor/examine.ts';
import { loadConfig } from '../../src/config/load.ts';
import { chainOf } from '../../src/doors/caller/presented-certificate.ts';
import { trySelf } from '../../src/serve/this-node.ts';

test('a handshake with itself finds out whether Node shows the intermediates of callers', async () => {
  assert.equal(await trySelf(), true, process.version);
  const leafAlone: typeof chainOf = (socket) => chainOf(socket).slice(0, 1);
  assert.equal(await trySelf(leafAlone), false);
});

const TLS = ['publicUrl=https://localhost:8443', 'listeners.0.tls.certificate=a.crt', 'listeners.0.tls.key=a.key'];

test('doctor says what this Node cannot do for callers with certificates, and the remedy', async () => {
  const old = { canInspect: async () => false, seesIntermediates: async () => false };
  const config = (sets: readonly string[]) => loadConfig({ file: undefined, env: {}, sets });
  const found = await examineNode(config(TLS), old);
  assert.deepEqual(
    found.map(({ verdict, about }) => [verdict, about]),
    [
      ['poor', 'Node'],
      ['poor', 'Node'],
    ],
  );
  for (const { todo } of found) assert.match(todo ?? '', /^Use Node 26\.10/);
  assert.deepEqual(await examineNode(config([...TLS, 'listeners.0.clientCertificates=off']), old), []);
  const able = { canInspect: async () => true, seesIntermediates: async () => true };
  assert.deepEqual(await examineNode(config(TLS), able), []);
});
