// The published package: packed, installed into an empty folder with only its own dependencies, and started.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly version: string;
  readonly bin: { readonly tessera: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

function npmPack(folder: string): string {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Does what `npm install` of the archive does with local packages, since tests must not need the network. */
function installPackage(folder: string): { command: string; manifest: Manifest; files: readonly string[] } {
  const packed = JSON.parse(npmPack(folder)) as {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  const place = join(folder, 'node_modules', 'tessera');
  mkdirSync(place, { recursive: true });
  const archive = join(folder, packed[0]?.filename ?? '');
  execFileSync('tar', ['--extract', '--file', archive, '--directory', place, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const files = packed[0]?.files.map(({ path }) => path) ?? [];
  const command = join(folder, 'node_modules', '.bin', 'tessera');
  mkdirSync(dirname(command));
  symlinkSync(join(place, manifest.bin.tessera), command);
  chmodSync(command, 0o755);
  return { command, manifest, files };
}

/** The address that the service says it listens on. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout);
  for await (const line of createInterface({ input: stdout })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the service ended before it listened');
}

suite('the published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-package-'));
  // The machine's own Node may be an older one.
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`, HOME: folder };
  let installed: ReturnType<typeof installPackage>;
  before(() => {
    installed = installPackage(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('contains the built code and nothing else of the checkout', () => {
    const others = installed.files.filter((path) => !path.startsWith('dist/'));
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
    assert.deepEqual(
      installed.files.filter((path) => path.endsWith('.ts')),
      [],
    );
  });

  test('is a command that prints its version and has a private compile cache', () => {
    const printed = execFileSync(installed.command, ['--version'], { env, encoding: 'utf8' });
    assert.equal(printed.trim(), installed.manifest.version);
    assert.equal(statSync(join(folder, '.cache', 'tessera')).mode & 0o777, 0o700);
  });

  test('serves the pages and their assets', async () => {
    const args = ['--set', 'listeners=[{ port: 0 }]', 'quickstart'];
    const service = spawn(installed.command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(service, 'exit');
    try {
      const address = await addressOf(service);
      assert.equal((await fetch(`${address}/readyz`)).status, 200);
      const page = await (await fetch(`${address}/account`)).text();
      const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
      assert.equal((await fetch(`${address}${style}`)).headers.get('content-type'), 'text/css; charset=utf-8');
      service.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    } finally {
      service.kill('SIGKILL');
    }
  });
});
