// The published package: packed, installed into an empty folder with only its own dependencies, and started.
// Only in test:all: packages from tarballs
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { RELEASE, VERSION } from '../../src/version.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Where npm puts it, in a folder. */
const PLACE = 'node_modules/@tessera/server';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: { readonly tessera: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The archive and the names in it. `npm run release` names one that it has made. */
function packedArchive(folder: string): { archive: string; files: readonly string[] } {
  const archive = process.env['TESSERA_PACKAGE'] ?? npmPack(folder);
  const listed = execFileSync('tar', ['--list', '--file', archive], { encoding: 'utf8' });
  return {
    archive,
    files: listed
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, '')),
  };
}

function npmPack(folder: string): string {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const printed = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return join(folder, (JSON.parse(printed) as { readonly filename: string }[])[0]?.filename ?? '');
}

/** Does what `npm install` of the archive does with local packages, since tests must not need the network. */
function installPackage(folder: string): { command: string; manifest: Manifest; files: readonly string[] } {
  const { archive, files } = packedArchive(folder);
  const place = join(folder, PLACE);
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['--extract', '--file', archive, '--directory', place, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
  assert.equal(`node_modules/${manifest.name}`, PLACE);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const command = join(folder, 'node_modules', '.bin', 'tessera');
  mkdirSync(dirname(command));
  symlinkSync(join(place, manifest.bin.tessera), command);
  chmodSync(command, 0o755);
  return { command, manifest, files };
}

/** The files that a page links to, and the pages that the texts of the code name; both as paths in the package. */
function pagesNamedIn(path: string, text: string): { readonly from: string; readonly to: string }[] {
  const links = path.endsWith('.md')
    ? [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = '']) => join(dirname(path), to))
    : [...text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([to]) => to);
  return links.map((to) => ({ from: path, to }));
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
  const folder = temporaryFolder('package');
  // The machine's own Node may be an older one.
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`, HOME: folder };
  let installed: ReturnType<typeof installPackage>;
  before(() => {
    installed = installPackage(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('contains the built code, the pages and what they show, and nothing else of the checkout', () => {
    const others = installed.files.filter((path) => !/^(dist|docs|deploy)\//.test(path));
    const pages = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md'];
    const packages = ['sdk/client/README.md', 'sdk/verify/README.md'];
    assert.deepEqual(others.sort(), [...pages, ...packages, 'LICENSE', 'package.json'].sort());
    assert.deepEqual(
      installed.files.filter((path) => path.endsWith('.ts')),
      [],
    );
  });

  test('names no page that it does not contain', () => {
    const place = join(folder, PLACE);
    const named = installed.files
      .filter((path) => /\.(js|md)$/.test(path))
      .flatMap((path) => pagesNamedIn(path, readFileSync(join(place, path), 'utf8')));
    assert.ok(named.length > 50, 'links were found');
    assert.deepEqual(
      named.filter(({ to }) => !existsSync(join(place, to))),
      [],
    );
  });

  test('on an older Node it says which one it needs, and nothing else', () => {
    const old = join(folder, 'old-node');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\n[ "$1" = --version ] && echo v20.19.2 || echo SyntaxError >&2\n');
    chmodSync(join(old, 'node'), 0o755);
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.19.2'}})`;
    const main = join(folder, PLACE, 'dist', 'cli', 'main.js');
    const ways = [
      spawnSync(installed.command, ['--version'], { env: { ...env, PATH: `${old}:/usr/bin:/bin` }, encoding: 'utf8' }),
      spawnSync(process.execPath, ['--import', pretend, main, '--version'], { env, encoding: 'utf8' }),
    ];
    for (const { status, stdout, stderr } of ways) {
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^tessera: this needs Node 24 or newer; this is v\S+\n {2}Install it \(https:[^\n]+\n$/);
    }
  });

  test('is a command that prints its version and has a private compile cache', () => {
    const printed = execFileSync(installed.command, ['--version'], { env, encoding: 'utf8' });
    assert.equal(installed.manifest.version, RELEASE);
    // `npm run release` builds an archive of the commit.
    assert.equal(printed.trim(), process.env['TESSERA_PACKAGE'] === undefined ? VERSION : RELEASE);
    assert.equal(statSync(join(folder, '.cache', 'tessera')).mode & 0o777, 0o700);
  });

  test('has the commands for callers, completion included', () => {
    const { status, stderr } = spawnSync(installed.command, ['token'], { env, encoding: 'utf8' });
    assert.equal(status, 8, stderr);
    const offered = execFileSync(installed.command, ['completion', 'bash', '--', 'who'], { env, encoding: 'utf8' });
    assert.match(offered, /^whoami$/m);
  });

  test('explains a refusal in the words of its own page', () => {
    const args = ['explain', 'refusal', 'refresh-token-reused'];
    assert.match(execFileSync(installed.command, args, { env, encoding: 'utf8' }), /^ {2}.*Get a new grant/m);
  });

  test('serves the pages and their assets', async () => {
    const args = ['--set', 'listeners=[{ port: 0 }]', 'quickstart'];
    const service = spawn(installed.command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(service, 'exit');
    try {
      let printed = '';
      service.stdout.on('data', (part) => (printed += String(part)));
      const address = await addressOf(service);
      assert.equal((await fetch(`${address}/readyz`)).status, 200);
      const page = await (await fetch(`${address}/account`)).text();
      const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
      assert.equal((await fetch(`${address}${style}`)).headers.get('content-type'), 'text/css; charset=utf-8');
      for (const path of ['/docs', '/docs/api', '/docs/errors'])
        assert.equal((await fetch(`${address}${path}`)).status, 200, path);
      service.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      assert.match(printed, /^Then, for example: tessera grant list --server/m);
      assert.doesNotMatch(printed, /npm (run|start)/);
    } finally {
      service.kill('SIGKILL');
    }
  });
});
