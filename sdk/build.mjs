// `npm run build` of a package here: dist/ from src/, with types. Uses the compiler of the checkout.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = process.cwd();
const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

rmSync(join(own, 'dist'), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '--project', join(own, 'tsconfig.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
cpSync(join(root, 'LICENSE'), join(own, 'LICENSE'));
