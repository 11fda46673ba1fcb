// @tessera/client from its tarball, in an empty folder, on every Node that it promises.
// Needs: curl
// Only in test:all: packages from tarballs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { TESSERA } from '../../cli/command.ts';
import { startPublic } from '../../e2e/public-service.ts';
import type { TestService } from '../../e2e/service.ts';
import { CLIENT } from '../../e2e/steps.ts';
import { blocksOf } from '../../house/mentions.ts';
import { read } from '../../house/sources.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { promisedNodes } from '../nodes.ts';
import { installPacked } from '../packed.ts';

/** From the folder of programs, where npm links to it. */
const PROGRAM_OF_PACKAGE = '../node_modules/@tessera/client/dist/bin.js';

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
  const file = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(folder, name), text, { mode });
    return join(folder, name);
  };

  /** Runs a script in which `tessera-client` is the program of the package, on this Node. */
  async function shell(script: string, node: string) {
    const programs = join(folder, 'bin');
    rmSync(programs, { recursive: true, force: true });
    mkdirSync(programs);
    symlinkSync(node, join(programs, 'node'));
    symlinkSync(PROGRAM_OF_PACKAGE, join(programs, 'tessera-client'));
    chmodSync(join(folder, 'bin', PROGRAM_OF_PACKAGE), 0o755);
    const PATH = `${programs}:${process.env['PATH']}`;
    const env = { PATH, HOME: folder, CURL_CA_BUNDLE: join(folder, 'ca.pem') };
    const child = spawn('sh', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (part) => (texts[name] += String(part)));
    const [status] = await once(child, 'close');
    return { status, ...texts };
  }

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
        { env: { NODE_EXTRA_CA_CERTS: ca }, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += String(chunk)));
      const [status] = await once(child, 'close');
      assert.equal(status, 0);
      assert.deepEqual(JSON.parse(printed), { isSame: true, status: 200, reason: 'login-needed' });
    });
  }

  for (const { major, path, skip } of promisedNodes()) {
    test(`its program does what its README shows on Node ${major}`, { skip }, async () => {
      const [block] = blocksOf({ path: 'README.md', text: read('sdk/client/README.md') });
      assert.match(block?.text ?? '', /^tessera-client login .*\n.*tessera-client token.*\n.* exec .*\n.* logout\n$/);
      const flags = ['certificate me.pem', 'key me-key.pem', 'ca ca.pem'].map((flag) => ` --${flag}`).join('');
      file('me.pem', service.ada.pem);
      file('me-key.pem', service.ada.key);
      file('ca.pem', service.authority.pem);
      file('sync.sh', '#!/bin/sh\necho "token: $TESSERA_TOKEN"\n', 0o755);
      const script = (block?.text ?? '')
        .replace('https://tokens.example.com', service.issuer)
        .replace('https://orders.example.com/today', `--silent ${service.issuer}/authsvc/Authorize/Verify`)
        .replace(`--client-id ${CLIENT}`, `$&${flags}`);
      const { status, stdout, stderr } = await shell(`set -e\n${script}`, path ?? '');
      assert.deepEqual([status, stderr.split('\n').slice(1)], [0, ['Logged out.', '']], stderr);
      assert.match(stderr, /^Logged in to https:\S+ as orders-sync, for: /);
      assert.match(stdout, /"identity":"[^\n]+\}token: tsa_\S+\n$/);
    });
  }

  test('its program shares the logins of the command of the server, and has the version of the package', async () => {
    const node = process.execPath;
    const afterLogout = await shell('tessera-client token', node);
    assert.deepEqual([afterLogout.status, afterLogout.stdout], [8, '']);
    assert.match(afterLogout.stderr, /^tessera-client: you are not logged in\n {2}Do: tessera-client login\n$/);
    assert.equal((await shell('tessera-client login', node)).status, 0);
    const shared = await shell(`test "$(tessera-client token)" = "$(node ${TESSERA} token)"`, node);
    assert.deepEqual(shared, { status: 0, stdout: '', stderr: '' });
    const listed = ['whoami', 'whoami --json', 'profile list', 'profile list --json', 'token --json'];
    for (const line of listed)
      assert.deepEqual(await shell(`tessera-client ${line}`, node), await shell(`node ${TESSERA} ${line}`, node), line);
    const manifest = JSON.parse(read('sdk/client/package.json')) as { version: string };
    assert.equal((await shell('tessera-client --version', process.execPath)).stdout, `${manifest.version}\n`);
  });

  test('its types teach: a program that leaves out `by` does not compile', () => {
    const typed = file('typed.mts', TYPED);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
    execFileSync(process.execPath, [tsc, ...flags, typed], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  });
});
