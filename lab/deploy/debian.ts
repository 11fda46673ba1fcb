// A Debian root file system from the package archive, with the pinned Node and npm in /usr/local.
import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keptFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { ROOT, run } from './shell.ts';

const SUITE = 'bookworm';

/** Made once and kept: delete the folder to make it again. */
function keptRoot(packages: readonly string[]): string {
  return keptFolder(['lab', SUITE, ...packages].join('-'), (unfinished) => {
    console.log(`making a Debian root with debootstrap, once …`);
    run('debootstrap', [
      '--variant=minbase',
      `--include=${['ca-certificates', ...packages].join(',')}`,
      SUITE,
      unfinished,
    ]);
    addNode(unfinished);
  });
}

function addNode(root: string): void {
  const local = join(root, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())));
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
  run('cp', ['-a', npm, join(local, 'lib/node_modules/npm')]);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

/** A fresh copy of a Debian root with these packages. Call `remove` at the end. */
export function debianRoot(packages: readonly string[]): { readonly folder: string; readonly remove: () => void } {
  const kept = keptRoot(packages);
  const place = temporaryFolder('lab-root');
  const folder = join(place, 'root');
  run('cp', ['-a', '--reflink=auto', kept, folder]);
  run('chmod', ['0755', folder]);
  // Names and certificates are checked as on this machine, which may reach package archives through a proxy.
  for (const file of ['etc/resolv.conf', 'etc/ssl/certs/ca-certificates.crt'])
    cpSync(join('/', file), join(folder, file));
  return { folder, remove: () => rmSync(place, { recursive: true, force: true }) };
}

/** The package of this checkout, and deploy/, as an operator has them. */
export function stagePackage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', folder]);
  cpSync(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
}
