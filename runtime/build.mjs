// Runs on Node 20 too, in a builder of the image. `npm run build`: dist/ from src/, for the published package: Node strips no types from what is installed. In a checkout
// nothing runs from it. The command uses sdk/client, which goes to dist/sdk.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [src, dist, compiled] = ['src', 'dist', 'dist.compiled'].map((name) => join(root, name));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

process.umask(0o022); // the package has the modes of its files: they must not depend on who builds it
for (const folder of [dist, compiled]) rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
renameSync(join(compiled, 'src'), dist);
renameSync(join(compiled, 'sdk'), join(dist, 'sdk'));
rmSync(compiled, { recursive: true });
// sdk/ is beside src/ in a checkout, and within dist/ here: one step less up.
for (const name of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.js'))) {
  const file = join(dist, name);
  const code = readFileSync(file, 'utf8');
  const moved = code.replace(
    /(from '|import\(')\.\.\/((?:\.\.\/)*)sdk\//g,
    (_, start, up) => `${start}${up || './'}sdk/`,
  );
  if (moved !== code) writeFileSync(file, moved);
}
// The package has no .git, and neither has the builder of the image, which gets the commit in a variable.
const { RELEASE, VERSION } = await import(pathToFileURL(join(dist, 'version.js')).href);
const { COMMIT } = process.env;
writeFileSync(join(dist, 'version.txt'), `${COMMIT ? `${RELEASE}+${COMMIT}` : VERSION}\n`);
// Beside the code: style sheets and pictures.
cpSync(src, dist, { recursive: true, filter: (path) => statSync(path).isDirectory() || !path.endsWith('.ts') });
