// Which methods a path takes, for the Allow header of a 405.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { methodTable } from '../../../src/doors/http/methods.ts';

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
  assert.deepEqual(found(['/', '/thing', '/things/7/8', '/exact', '/Exact/']), Array(5).fill(undefined));
});
