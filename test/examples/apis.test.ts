// The examples of protected APIs, with @tessera/verify from its tarball, against the real service.
// Only in test:all: packages from tarballs
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { revoke } from '../e2e/steps.ts';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { installPacked } from '../sdk/packed.ts';
import { startProtected } from '../sdk/verify/protected-api.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

suite('@tessera/verify from its tarball, in the examples', () => {
  const folder = temporaryFolder('apis');
  let files: readonly string[];
  const service = given(() => startProtected());
  before(async () => {
    files = installPacked('verify', folder);
    for (const name of ['jose', 'express', 'fastify'])
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    cpSync(join(ROOT, 'examples'), folder, { recursive: true });
    writeFileSync(join(folder, 'ca.pem'), service.authority.pem);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string): Promise<{ child: ChildProcess; base: string }> {
    const { id, secret, audience } = service.options.resourceServer;
    const env = {
      PATH: process.env['PATH'],
      TESSERA_SERVER: service.issuer,
      RESOURCE_SERVER: id,
      SECRET: secret,
      AUDIENCE: audience,
      PORT: '0',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    };
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, ['api.mjs'], { cwd: join(folder, name), env, stdio: [...stdio] });
    if (!child.stdout) throw new Error('it has no stdout');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { child, base: `http://127.0.0.1:${line.replace('listening on ', '')}` };
  }

  test('the tarball has the code, its types, the README and the licence, and nothing else', () => {
    const others = files.filter(
      (file) => !/^(?:dist\/(?:guard\/)?[a-z-]+\.(?:js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(file),
    );
    assert.deepEqual(others, []);
    for (const needed of ['dist/verify.js', 'dist/verify.d.ts', 'README.md', 'LICENSE'])
      assert.ok(files.includes(needed));
  });

  for (const name of ['api-express', 'api-fastify'])
    test(`${name} answers 200, 401, 403, and 401 once the token is revoked`, async (t) => {
      const { child, base } = await start(name);
      t.after(() => child.kill('SIGKILL'));
      const token = await service.token('jwt');
      const ask = async (method: string, headers: Record<string, string> = {}) => {
        const answer = await fetch(`${base}/orders`, { method, headers });
        return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') };
      };
      const bearer = { authorization: `Bearer ${token}` };
      const allowed = await ask('GET', bearer);
      assert.equal(allowed.status, 200);
      assert.match(allowed.text, /"for":"local:/);
      assert.deepEqual(await ask('GET').then(({ status, challenge }) => [status, challenge]), [
        401,
        'Bearer scope="orders:read"',
      ]);
      assert.match((await ask('POST', bearer)).challenge ?? '', /insufficient_scope/);
      assert.equal((await fetch(`${base}/ready`)).status, 200);
      await revoke(service.holder, token);
      await eventually('it is refused', async () => (await ask('GET', bearer)).status === 401);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
});
