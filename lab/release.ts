// npm run release [-- --draft]: makes the files of a release in out/release: the package, tested as installed; its bill of materials,
// licences, notes and checksums. Publishes nothing. --draft: with uncommitted changes, which are then left out.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { licencesOf } from './release/licences.ts';
import { notesOf } from './release/notes.ts';
import { type Product, sbomOf } from './release/sbom.ts';
import { type Lock, shippedPackages } from './release/shipped.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'out/release');

interface Manifest extends Product {
  readonly dependencies: Readonly<Record<string, string>>;
}

const git = (...args: string[]) => execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

if (git('status', '--porcelain').trim() && !process.argv.includes('--draft'))
  throw new Error('there are uncommitted changes: commit them, or try with --draft');
const manifest = JSON.parse(read('package.json')) as Manifest;
const name = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}`;
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });

const notes = notesOf(read('CHANGELOG.md'), manifest.version);
const packed = packTwice();
save(`${name}.tgz`, packed);
testInstalled(join(OUT, `${name}.tgz`));
const shipped = shippedPackages(JSON.parse(read('package-lock.json')) as Lock);
const direct = Object.keys(manifest.dependencies).map((dependency) => `node_modules/${dependency}`);
save(`${name}.cdx.json`, `${JSON.stringify(sbomOf(manifest, shipped, direct), undefined, 2)}\n`);
save(`${name}-licences.txt`, licencesOf(ROOT, shipped));
save(`${name}-notes.txt`, notes);
const files = [`${name}.tgz`, `${name}.cdx.json`, `${name}-licences.txt`, `${name}-notes.txt`];
const sums = files.map((file) => `${sha256(readFileSync(join(OUT, file)))}  ${file}\n`).join('');
save('SHA256SUMS', sums);
console.log(
  `${manifest.name} ${manifest.version} of ${git('rev-parse', '--short', 'HEAD').trim()}, ${shipped.length} packages`,
);
console.log(sums.trimEnd());

/** Builds the last commit twice, as two people would: in other folders, with another umask and time zone. Compares the bytes. */
function packTwice(): Buffer {
  const one = packIn('a', 0o022, 'UTC');
  const two = packIn('a-folder-with-a-longer-name', 0o077, 'Asia/Tokyo');
  if (!two.equals(one)) throw new Error('two builds of the same commit differ');
  console.log('two builds in two folders, with another umask and time zone, are equal');
  return one;
}

function packIn(folderName: string, umask: number, timeZone: string): Buffer {
  const before = process.umask(umask);
  const parent = temporaryFolder('release');
  const folder = join(parent, folderName);
  try {
    mkdirSync(folder);
    execFileSync('tar', ['--extract', '--preserve-permissions', '--directory', folder], {
      input: execFileSync('git', ['-C', ROOT, '-c', 'tar.umask=0022', 'archive', 'HEAD'], { maxBuffer: 2 ** 30 }),
    });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const env = { ...process.env, TZ: timeZone };
    execFileSync('npm', ['pack', '--silent', '--pack-destination', parent], { cwd: folder, env });
    return readFileSync(join(parent, `${name}.tgz`));
  } finally {
    process.umask(before);
    rmSync(parent, { recursive: true });
  }
}

function testInstalled(tarball: string): void {
  const args = ['--test', '--test-reporter=dot', 'test/e2e/package.test.ts'];
  const env = { ...process.env, TESSERA_PACKAGE: tarball };
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  if (status !== 0) throw new Error('the tests of the installed package fail');
}

function save(file: string, contents: Buffer | string): void {
  writeFileSync(join(OUT, file), contents);
}
