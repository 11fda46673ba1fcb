import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { hangOps, type OpsDoor } from '../../src/http/ops/door.ts';

const HOLDS = { name: 'keys', check: async () => undefined };
const FAILS = {
  name: 'store',
  check: async () => {
    throw new Error('no route to db.internal');
  },
};

async function readiness(checks: OpsDoor['checks']) {
  const told: string[] = [];
  const app = fastify();
  hangOps(app, { checks, metrics: undefined, tellFailing: (check, fault) => told.push(`${check}: ${String(fault)}`) });
  const { statusCode, payload } = await app.inject('/readyz');
  return { statusCode, answer: JSON.parse(payload), told };
}

test('ready: 200, and nothing to tell', async () => {
  assert.deepEqual(await readiness([HOLDS]), {
    statusCode: 200,
    answer: { status: 'ok', checks: { keys: 'ok' } },
    told: [],
  });
});

test('not ready: the answer names the check that fails, the log says why', async () => {
  assert.deepEqual(await readiness([HOLDS, FAILS]), {
    statusCode: 503,
    answer: { status: 'not ready', checks: { keys: 'ok', store: 'failing' } },
    told: ['store: Error: no route to db.internal'],
  });
});
