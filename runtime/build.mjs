// `npm run build`: dist/ from src/, for the published package: Node strips no types from what is installed. In a checkout
// nothing runs from it.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [src, dist] = [join(root, 'src'), join(root, 'dist')];
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
// Beside the code: style sheets and pictures.
cpSync(src, dist, { recursive: true, filter: (path) => statSync(path).isDirectory() || !path.endsWith('.ts') });
