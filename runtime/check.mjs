// `npm run check`: everything a change must pass, in the order of what fails fastest. Every step runs, so that one run
// shows everything that needs a fix.
//   npm run check -- --without-tests
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join('node_modules', ...name.split('/'));
const linted = ['src', 'test', 'runtime', 'lab', 'sdk'].filter((folder) => existsSync(join(root, folder)));

const steps = [
  ['format and style', [bin('@biomejs/biome/bin/biome'), 'check', '.']],
  ['types', [bin('typescript/bin/tsc'), '--project', 'tsconfig.json']],
  ['lint, type-aware', [bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', ...linted]],
  ['dead code', [bin('knip/bin/knip.js')]],
];
if (!process.argv.includes('--without-tests')) steps.push(['tests', ['runtime/test.mjs']]);

const results = steps.map(([what, args]) => {
  process.stdout.write(`\n── ${what} ${'─'.repeat(70 - what.length)}\n`);
  const started = Date.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return { what, passed: status === 0, seconds: ((Date.now() - started) / 1000).toFixed(1) };
});

process.stdout.write('\n');
for (const { what, passed, seconds } of results) {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${what.padEnd(18)} ${seconds.padStart(6)} s\n`);
}
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
