// "Protect an API" of the README, executed as it is printed.
// Needs: curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { blocksIn, PrintedCheckout } from './printed-checkout.ts';

test('the commands of the README protect an API, which refuses no token, a wrong one and a revoked one', async (t) => {
  const [program = ''] = blocksIn('README.md', 'js');
  const [register = '', startApi = '', callApi = ''] = blocksIn('README.md', 'sh');
  const place = await PrintedCheckout.open(t);
  const beside = join(place.folder, 'api');
  mkdirSync(beside);
  const [registering = '', packing = ''] = register.split(/^(?=npm pack)/m);
  place.run(registering);
  place.install(packing, beside);
  writeFileSync(join(beside, 'api.mjs'), place.here(program));
  place.start(startApi, beside);
  const status = async (authorization?: string) =>
    (await fetch(`http://localhost:${place.apiPort}/`, { headers: authorization ? { authorization } : {} })).status;
  await eventually('the API listens', () => status().then(Boolean, () => false));

  assert.match(place.run(callApi), /^for local:\{[0-9a-f-]+\}$/m);
  assert.equal(await status(), 401);
  assert.equal(await status('Bearer tsa_nonsense'), 401);
  place.run('data/try/revoke.sh');
  const [, call = ''] = callApi.split('data/try/token.sh\n');
  await eventually('a revoked token is refused', () => !place.run(call).startsWith('for '));
});
