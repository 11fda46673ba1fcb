// How many generated secrets there may be, for how long, and which ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import {
  dropIntegrationSecrets,
  dropOldSecret,
  makeIntegrationSecret,
  makeResourceServerSecret,
} from '../../../src/operations/admin/secrets.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { changeIntegration, registerIntegration, registerResourceServer } from '../../administer.ts';
import { NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

test('of an integration, at most two secrets live, for 180 days at most', async (t) => {
  const admin = await administration(t);
  await registerIntegration('a', { scope: 'orders:read' }, admin);
  const make = async (lifetime: number) => {
    const done = await makeIntegrationSecret('a', seconds(lifetime), admin);
    return done.ok ? done.value.endsAt : done.refusal.reason;
  };
  const day = 86_400;
  assert.equal(await make(day), 'secret-flow-off');
  await changeIntegration('a', { flows: { secret: true } }, admin);
  assert.equal(await make(0), 'secret-lifetime-malformed');
  assert.equal(await make(180 * day + 1), 'secret-lifetime-malformed');
  assert.equal(await make(1), NOW + 1);
  assert.equal(await make(180 * day), NOW + 180 * day);
  assert.equal(await make(day), 'client-secrets-exhausted');
  admin.pass(1);
  assert.equal(await make(day), NOW + day + 1, 'one has ended');
  const drop = async (all: boolean) => {
    const done = await dropIntegrationSecrets('a', { all }, admin);
    return done.ok ? (done.value.secrets ?? []).map(({ endsAt }) => endsAt - NOW) : done.refusal.reason;
  };
  assert.deepEqual(await drop(false), [day + 1], 'the older one');
  assert.equal(await drop(false), 'client-secrets-none');
  assert.deepEqual(await drop(true), []);
  assert.equal(await drop(true), 'client-secrets-none');
});

test('of a resource server, two live beside each other, until the older is dropped or all are replaced', async (t) => {
  const admin = await administration(t);
  await registerResourceServer('api', { audience: 'https://api.example', resources: ['orders'] }, admin);
  const made = async () =>
    (await admin.store.load(resourceServers, 'api')).found?.row.secrets.map(({ createdAt }) => createdAt - NOW);
  const make = async (replaces: boolean) => {
    admin.pass(1);
    const done = await makeResourceServerSecret('api', { replaces }, admin);
    return done.ok ? made() : done.refusal.reason;
  };
  const drop = async () => {
    const done = await dropOldSecret('api', admin);
    return done.ok ? made() : done.refusal.reason;
  };
  assert.equal(await drop(), 'secrets-not-two');
  assert.deepEqual([await make(false), await drop()], [[1], 'secrets-not-two']);
  assert.deepEqual([await make(false), await make(false)], [[1, 2], 'secrets-exhausted']);
  assert.deepEqual([await drop(), await make(true)], [[2], [4]]);
  const acts = (await admin.did()).slice(1).map((words) => words.replace('resource server ', ''));
  assert.deepEqual(acts, ['secret made', 'secret made', 'secret dropped', 'secrets replaced']);
});
