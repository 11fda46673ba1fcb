// Puts together the root of the image: node collect.mjs FOLDER, in a checkout that is built and has its packages to run.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const [, , image] = process.argv;
const UID = 65532;
const pinned = `node_modules/node-linux-${process.arch}/bin/node`;

const place = (from, to) => {
  mkdirSync(dirname(join(image, to)), { recursive: true });
  cpSync(realpathSync(from), join(image, to), { recursive: true });
};

/** The libraries that the loader finds for a program or a native module, at the paths where it looks for them. */
function librariesOf(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  const missing = [...listed.matchAll(/(\S+) => not found/g)].map(([, name]) => name);
  if (missing.length > 0) throw new Error(`${program} needs ${missing.join(', ')}, which the builder lacks`);
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

place(pinned, 'usr/local/bin/node');
chmodSync(join(image, 'usr/local/bin/node'), 0o755);
const natives = readdirSync('node_modules', { recursive: true }).filter((path) => path.endsWith('.node'));
for (const program of [pinned, ...natives.map((path) => join('node_modules', path))])
  for (const library of librariesOf(program)) place(library, library);

const readmes = readdirSync('sdk')
  .map((name) => join('sdk', name, 'README.md'))
  .filter((path) => existsSync(path));
const pages = ['docs', 'LICENSE', ...readdirSync('.').filter((name) => name.endsWith('.md')), ...readmes];
for (const part of ['dist', 'package.json', 'node_modules', ...pages]) place(part, join('opt/tessera', part));
const packages = join(image, 'opt/tessera/node_modules');
for (const name of ['.bin', '.cache', 'tessera-runtime', `node-linux-${process.arch}`])
  rmSync(join(packages, name), { recursive: true, force: true });

writeFileSync(
  join(image, 'opt/tessera/health.mjs'),
  `// Whether the process answers at all. The address is that of a listener with the door ops.
const address = process.env.TESSERA_HEALTH_URL ?? 'http://127.0.0.1:9101/healthz';
const answer = await fetch(address).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
`,
);

writeFileSync(
  join(image, 'usr/local/bin/tessera'),
  "#!/usr/local/bin/node --disable-sigusr1\nimport('/opt/tessera/dist/cli/main.js');\n",
  { mode: 0o755 },
);

// A configuration for those who mount none. Nobody can guess publicUrl: the service refuses to start until it is set.
mkdirSync(join(image, 'etc/tessera'), { recursive: true });
const settings = readFileSync('tessera.yaml', 'utf8').replace(/^publicUrl: .*\n/m, '');
writeFileSync(join(image, 'etc/tessera/tessera.yaml'), settings);
writeFileSync(join(image, 'etc/passwd'), `tessera:x:${UID}:${UID}::/var/lib/tessera:/sbin/nologin\n`);
writeFileSync(join(image, 'etc/group'), `tessera:x:${UID}:\n`);
const data = join(image, 'var/lib/tessera');
mkdirSync(data, { recursive: true });
chmodSync(data, 0o700); // not its parents
chownSync(data, UID, UID);
mkdirSync(join(image, 'tmp'));
chmodSync(join(image, 'tmp'), 0o1777);
