// The admin door, used by many at once, and by programs that send nothing where something belongs.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ACTS } from '../../src/operations/admin/acts.ts';
import { given, prepare } from '../given.ts';
import { AdminScene, BACK_END } from './admin-scene.ts';

const scene = given(() => AdminScene.open({}, BACK_END));
let token: string;

function ask(method: string, path: string, body?: unknown) {
  return scene.ask(token, method, path, { body });
}

prepare(async () => {
  token = await scene.token('olga');
});

suite(`careless requests at the admin door, on ${BACK_END}`, () => {
  test('null is no object, in any body', async () => {
    const withBody = Object.values(ACTS).filter(({ body }) => body);
    assert.ok(withBody.length > 10);
    for (const { method, path } of withBody) {
      const { status, json, text } = await ask(method, path.replace('{id}', 'olga'), 'null');
      assert.deepEqual([status, json['reason']], [400, 'object-malformed'], `${method} ${path}: ${text}`);
    }
    for (const objects of [null, { integrations: null }, { integrations: { a: null } }, { integrations: { a: [] } }])
      assert.equal((await ask('POST', '/objects/plan', { objects })).status, 400, JSON.stringify(objects));
    assert.equal((await ask('PUT', '/integrations/a', { scope: 'a:b', flows: null })).status, 400);
  });

  test('a body is about the thing in the path; what a PUT makes is 201, what it replaces 200', async () => {
    const things = [
      ['/integrations/made', { scope: 'a:b' }, { clientId: 'other' }],
      ['/resource-servers/made-api', { audience: 'https://made.example', resources: ['made'] }, { id: 'other' }],
      ['/identities/mabel', {}, { groups: null }],
    ] as const;
    for (const [path, body, wrong] of things) {
      assert.equal((await ask('PUT', path, { ...body, ...wrong })).status, 400, path);
      assert.equal((await ask('PUT', path, body)).status, 201, path);
      assert.equal((await ask('PUT', path, body)).status, 200, path);
    }
  });

  test('a long document is applied while others change things all the time', async () => {
    const [many, puts] = [200, 300];
    const names = Array.from({ length: many }, (_, at) => [`long-${at}`, { scope: 'a:b' }] as const);
    let made = 0;
    let isApplied = false;
    const others = [0, 1].map(async (who) => {
      for (let at = 0; at < puts && !isApplied; at++, made++)
        assert.ok((await ask('PUT', `/integrations/short-${who}`, { scope: 'a:b', vendor: `v${at}` })).status < 300);
    });
    const applied = await ask('POST', '/objects/apply', { objects: { integrations: Object.fromEntries(names) } });
    isApplied = true;
    const madeMeanwhile = made;
    await Promise.all(others);
    assert.equal(applied.status, 200, applied.text);
    assert.ok(madeMeanwhile < puts, `only after ${madeMeanwhile} changes by others`);
  });
});
