// Honest but unusual chains that openssl made and accepts; `npm run lab -- honest` has all of them.
// Needs: openssl
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { judgeChain, makeByOpenssl, OPENSSL_CHAINS } from '../../lab/conformance/honest.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const SAMPLE = [
  'version-1-leaf',
  'no-key-identifiers',
  'issuer-and-serial',
  'constrained',
  'principal-name',
  'policies',
];
const folder = temporaryFolder('honest');
after(() => rmSync(folder, { recursive: true }));

suite('a chain that openssl accepts', () => {
  for (const chain of OPENSSL_CHAINS.filter(({ name }) => SAMPLE.includes(name)))
    test(`is accepted by us: ${chain.name}`, () => {
      makeByOpenssl(chain, folder);
      const { ours, openssl } = judgeChain(chain.name, folder);
      assert.deepEqual({ ours, openssl }, { ours: 'ok', openssl: 'ok' });
    });
});
