// @tessera/client from its tarball, in an empty folder, on every Node that it promises.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startPublic } from '../../e2e/public-service.ts';
import type { TestService } from '../../e2e/service.ts';
import { CLIENT } from '../../e2e/steps.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { promisedNodes } from '../nodes.ts';
import { installPacked } from '../packed.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A program as a user writes it: it takes everything from the package. */
const PROGRAM = `
import { certificate, fileStore, stored, TokenFailure, tokenSource } from '@tessera/client';
const [server, clientId, cert, key, ca, file] = process.argv.slice(2);
const options = { server, clientId, ca, store: file };
const tokens = tokenSource({ ...options, by: certificate({ certificate: cert, key }) });
const token = await tokens.get();
const again = await tokenSource({ ...options, store: fileStore(file), by: stored() }).get();
const response = await tokens.fetch(server + '/authsvc/Authorize/Verify');
await tokens.revoke();
const failure = await tokenSource({ ...options, by: stored() }).get().catch((error) => error);
console.log(JSON.stringify({
  isSame: token === again, status: response.status,
  reason: failure instanceof TokenFailure && failure.reason,
}));
`;

const TYPED = `
import { type DevicePrompt, device, type TokenSource, tokenSource } from '@tessera/client';
const show = ({ userCode }: DevicePrompt) => console.log(userCode);
const tokens: TokenSource = tokenSource({ server: 'https://x', clientId: 'y', by: device({ show }) });
const text: string = await tokens.get();
// @ts-expect-error: the types know what is missing
tokenSource({ server: 'https://x', clientId: text });
`;

suite('@tessera/client from its tarball', () => {
  const folder = temporaryFolder('client-package');
  let service: TestService & { readonly issuer: string };
  let files: readonly string[];
  before(async () => {
    files = installPacked('client', folder);
    service = await startPublic();
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };

  test('contains the built code with its types, a README, a licence, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
    assert.ok(files.includes('dist/client.js') && files.includes('dist/client.d.ts'));
  });

  test('has no dependencies and runs no script when it is installed', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@tessera/client/package.json'), 'utf8'));
    assert.equal(manifest.dependencies, undefined);
    assert.deepEqual(Object.keys(manifest.scripts), ['build', 'prepack']);
  });

  for (const { major, path, skip } of promisedNodes()) {
    test(`works on Node ${major}`, { skip }, async () => {
      const program = file('program.mjs', PROGRAM);
      const args = [file('me.pem', service.ada.pem), file('me-key.pem', service.ada.key)];
      const ca = file('ca.pem', service.authority.pem);
      const child = spawn(
        path ?? '',
        [program, service.issuer, CLIENT, ...args, ca, join(folder, `tokens-${major}.json`)],
        {
          env: { NODE_EXTRA_CA_CERTS: ca },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += String(chunk)));
      const [status] = await once(child, 'close');
      assert.equal(status, 0);
      assert.deepEqual(JSON.parse(printed), { isSame: true, status: 200, reason: 'login-needed' });
    });
  }

  test('its types teach: a program that leaves out `by` does not compile', () => {
    const typed = file('typed.mts', TYPED);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
    execFileSync(process.execPath, [tsc, ...flags, typed], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  });
});
