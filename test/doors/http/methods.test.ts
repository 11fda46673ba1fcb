// Which methods a path takes, for the Allow header of a 405.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { methodTable, pathOf, queryTextOf, targetOf } from '../../../src/doors/http/methods.ts';

test('a path takes the methods of its own routes, otherwise those of the first route that covers it', () => {
  const app = Fastify({ exposeHeadRoutes: false });
  const allowed = methodTable(app);
  const reply = () => 'x';
  app.get('/things', reply).post('/things', reply);
  app.get('/things/new', reply);
  app.put('/things/:id', reply).delete('/things/:id', reply);
  app.get('/files/*', reply);
  app.post('/Exact', { config: { isExact: true } }, reply);
  const found = (paths: readonly string[]) => paths.map(allowed);
  assert.deepEqual(found(['/things', '/THINGS/?q', 'https://h.example/things']), Array(3).fill('GET, POST'));
  assert.deepEqual(found(['/things/new', '/things/7']), ['GET', 'PUT, DELETE']);
  assert.deepEqual(found(['/files/a/b', '/Exact']), ['GET', 'POST']);
  assert.deepEqual(found(['/', '/thing', '/filesx', '/things/7/8', '/exact', '/Exact/']), Array(6).fill(undefined));
});

test('an address is read without host, query and fragment; its path without letter case and one trailing slash', () => {
  for (const [url, target, path, query] of [
    ['/', '/', '/', ''],
    ['//', '//', '/', ''],
    ['/A/b/', '/A/b/', '/a/b', ''],
    ['/A?b=1?c=/2\n3', '/A', '/a', 'b=1?c=/2\n3'],
    ['HTTPS://Host.example/A#b', '/A', '/a', ''],
    ['http://host.example?x', '', '', 'x'],
  ] as const)
    assert.deepEqual([targetOf(url), pathOf(url), queryTextOf(url)], [target, path, query], url);
});
