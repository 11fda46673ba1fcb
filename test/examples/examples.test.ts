// The examples, as their READMEs say, against the real service. The API that they call is the check of their own token.
// Needs: curl, python3
// Only in test:all: packages from tarballs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startPublic } from '../e2e/public-service.ts';
import type { TestService } from '../e2e/service.ts';
import { CLIENT, confirm, VERIFY } from '../e2e/steps.ts';
import { registerWorkload, WORKLOAD_CLIENT } from '../e2e/workload.ts';
import { platformServer } from '../platform.ts';
import { installPacked } from '../sdk/packed.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const NAMES = readdirSync(EXAMPLES);
const MOST_LINES = 60;

for (const name of NAMES) {
  test(`${name}: a README of five lines, and at most ${MOST_LINES} lines of code`, () => {
    const files = readdirSync(join(EXAMPLES, name)).map((file) => [
      file,
      readFileSync(join(EXAMPLES, name, file), 'utf8'),
    ]);
    const lines = Object.fromEntries(files.map(([file = '', text = '']) => [file, text.trimEnd().split('\n').length]));
    const { 'README.md': readme, 'package.json': _, ...code } = lines;
    assert.equal(readme, 5);
    assert.ok(Object.values(code).length > 0);
    assert.deepEqual(
      Object.entries(code).filter(([, count]) => count > MOST_LINES),
      [],
    );
  });
}

suite('the examples run', () => {
  const folder = temporaryFolder('examples');
  let service: TestService & { readonly issuer: string };
  const environment: Record<string, string> = {};
  before(async () => {
    service = await startPublic();
    installPacked('client', folder);
    cpSync(EXAMPLES, folder, { recursive: true });
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const ca = file('ca.pem', service.authority.pem);
    Object.assign(environment, {
      PATH: process.env['PATH'],
      HOME: folder,
      TESSERA_SERVER: service.issuer,
      TESSERA_CLIENT_ID: CLIENT,
      API: service.issuer + VERIFY,
      CERTIFICATE: file('job.pem', service.ada.pem),
      KEY: file('job-key.pem', service.ada.key),
      NODE_EXTRA_CA_CERTS: ca,
      SSL_CERT_FILE: ca,
      CURL_CA_BUNDLE: ca,
    });
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs an example. If it shows a user code, a person confirms it. */
  async function run(name: string, command: string, ...args: string[]) {
    const cwd = join(folder, name);
    const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    let confirmed: Promise<void> | undefined;
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      const [, user_code] = /(?:enter|shows) ([A-Z0-9-]{8,})/.exec(stderr) ?? [];
      if (user_code) confirmed ??= confirm(service, { user_code, device_code: '' });
    });
    const [status] = await once(child, 'close');
    await confirmed;
    assert.equal(status, 0, stderr);
    return {
      identity: stdout === '' ? undefined : (JSON.parse(stdout).identity as string),
      wasAsked: confirmed !== undefined,
    };
  }
  const ADA = /^local:/;

  test('nightly-job', async () => {
    for (const _ of ['first night', 'second night'])
      assert.match(String((await run('nightly-job', process.execPath, 'job.mjs')).identity), ADA);
    const grants = service.logLines.filter((line) => line.includes('"authorize-certificate"'));
    assert.equal(grants.length, 1, 'the second run used the token of the first');
  });

  test('workload-job, with the file of a pod and as a job of GitHub Actions', async () => {
    const sign = await registerWorkload(service);
    const github = await platformServer();
    github.odd.set(`/sign?x=1&audience=${encodeURIComponent(service.issuer)}`, (response, { headers }) => {
      assert.equal(headers.authorization, 'Bearer of-the-job');
      void sign().then((value) => response.end(JSON.stringify({ value })));
    });
    const file = join(folder, 'assertion');
    writeFileSync(file, await sign());
    const actions = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/sign?x=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
    };
    const usual = { ...environment };
    for (const platform of [{ ASSERTION_FILE: file }, actions]) {
      Object.assign(environment, { TESSERA_CLIENT_ID: WORKLOAD_CLIENT, ...platform });
      assert.match(String((await run('workload-job', process.execPath, 'job.mjs')).identity), /^ci:/);
      for (const name of Object.keys(platform)) delete environment[name];
    }
    Object.assign(environment, usual);
    github.close();
  });

  test('device-cli', async () => {
    // The job has stored tokens for the same server and client id.
    environment['HOME'] = join(folder, 'device-cli');
    const call = (...args: string[]) => run('device-cli', process.execPath, 'orders.mjs', ...args);
    const first = await call('list');
    assert.match(String(first.identity), ADA);
    assert.deepEqual([first.wasAsked, (await call('list')).wasAsked], [true, false]);
    await call('logout');
    assert.equal((await call('login')).wasAsked, true);
  });

  test('python', async () => {
    for (const _ of ['asks', 'uses the file'])
      assert.match(String((await run('python', 'python3', 'orders.py')).identity), ADA);
  });

  test('shell', async () => {
    const { identity, wasAsked } = await run('shell', 'sh', 'orders.sh');
    assert.match(String(identity), ADA);
    assert.ok(wasAsked);
  });
});
