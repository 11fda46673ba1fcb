// Debian root file systems from the package archive, with Node and npm in /usr/local.
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { ROOT, run } from './shell.ts';

export type Suite = 'bookworm' | 'trixie';

export interface DebianOptions {
  readonly suite?: Suite;
  readonly packages?: readonly string[];
  /** The major version of Node, with the npm that it ships. */
  readonly node?: number;
}

/** No root file system can be made here: no debootstrap, or no way to the package archive. */
export class NoRoot extends Error {}

/** Made once and kept: delete the folder to make it again. */
function keptRoot(suite: Suite, packages: readonly string[]): string {
  return keptFolder(['lab-debian', suite, ...packages].join('-'), (unfinished) => {
    console.log(`making a root of Debian ${suite} with debootstrap, once …`);
    const include = packages.length > 0 ? [`--include=${packages.join(',')}`] : [];
    try {
      run('debootstrap', ['--variant=minbase', ...include, suite, unfinished]);
    } catch (error) {
      throw new NoRoot(`no root of Debian ${suite} can be made here: ${(error as Error).message}`);
    }
  });
}

/** A fresh copy of a minimal Debian with these packages and Node. Call `remove` at the end. */
export function debianRoot({ suite = 'bookworm', packages = [], node = 26 }: DebianOptions) {
  const kept = keptRoot(suite, packages);
  const place = temporaryFolder('lab-root', '/var/tmp');
  const folder = join(place, 'root');
  run('cp', ['-a', '--reflink=auto', kept, folder]);
  run('chmod', ['0755', folder]);
  addNode(folder, node);
  // Names and certificates are checked as on this machine, which may reach package archives through a proxy.
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true });
  for (const file of ['etc/resolv.conf', 'etc/ssl/certs/ca-certificates.crt'])
    cpSync(join('/', file), join(folder, file), { dereference: true });
  writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n'); // as an installer does
  return { folder, remove: () => rmSync(place, { recursive: true, force: true }) };
}

function addNode(root: string, major: number): void {
  run(process.execPath, ['runtime/other-nodes.mjs', String(major)]);
  const packages = join(ROOT, 'node_modules/.cache/nodes', String(major), 'node_modules');
  const local = join(root, 'usr/local');
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
  cpSync(join(packages, `node-${process.platform}-${process.arch}/bin/node`), join(local, 'bin/node'));
  run('cp', ['-a', keptNpm(major < 24 ? 10 : 11), join(local, 'lib/node_modules/npm')]);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

function keptNpm(major: number): string {
  const kept = keptFolder(`lab-npm-${major}`, (folder) =>
    run('npm', ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', folder, `npm@${major}`]),
  );
  return join(kept, 'node_modules/npm');
}

/** The package of a checkout, of this one if none is named, and its deploy/, as an operator has them. Returns the path of the package. */
export function stagePackage(folder: string, checkout = ROOT): string {
  mkdirSync(folder, { recursive: true });
  const name = run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: checkout }).trim();
  cpSync(join(checkout, 'deploy'), join(folder, 'deploy'), { recursive: true });
  return join(folder, name.split('\n').at(-1) ?? '');
}
