// `npm run check`: everything a change must pass, in the order of what fails fastest. Stops at the first failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const bin = (name) => join('node_modules', ...name.split('/'));
const steps = [
  ['format and style', [bin('@biomejs/biome/bin/biome'), 'check', '.']],
  ['types', [bin('typescript/bin/tsc'), '--project', 'tsconfig.json']],
  ['lint, type-aware', [bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', 'src', 'test', 'runtime']],
  ['dead code', [bin('knip/bin/knip.js')]],
  ['tests', ['runtime/test.mjs']],
].filter(([what]) => !(what === 'tests' && process.argv.includes('--without-tests')));

for (const [what, args] of steps) {
  const started = Date.now();
  process.stderr.write(`check: ${what} …\n`);
  const step = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (step.status !== 0) {
    process.stderr.write(`check: ${what} failed\n`);
    process.exit(step.status ?? 1);
  }
  process.stderr.write(`check: ${what} passed in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}
