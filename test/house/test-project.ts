// A small project with the runner of this one, to run it in.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { ROOT } from './sources.ts';

export const HANGING_MS = 300_000;

/** Files that share a process run one after the other, and count one more test each. */
const ALONE = '// Own process: to be run beside the others, and counted\n';

/** A project with three tests: a plain one, a slow one, and one that needs a program that is not there. */
export function project(t: TestContext): string {
  const root = temporaryFolder('chosen');
  t.after(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(ROOT, 'runtime'), join(root, 'runtime'), { recursive: true });
  mkdirSync(join(root, 'test', 'e2e'), { recursive: true });
  const claim = `${ALONE}import { test } from 'node:test'; test('runs', () => {});\n`;
  writeFileSync(join(root, 'test', 'plain.test.ts'), claim);
  writeFileSync(join(root, 'test', 'e2e', 'slow.test.ts'), claim);
  writeFileSync(join(root, 'test', 'proxy.ts'), '// A proxy.\n// Needs: caddy\nexport const PROXY = 1;\n');
  writeFileSync(join(root, 'test', 'proxied.test.ts'), `import { PROXY } from './proxy.ts';\n${claim}void PROXY;\n`);
  return root;
}

export function npmTest(root: string, ...flags: readonly string[]): string {
  const { status, printed } = tryNpmTest(root, ...flags);
  assert.equal(status, 0, printed);
  return printed;
}

export function tryNpmTest(root: string, ...flags: readonly string[]): { status: number | null; printed: string } {
  const args = [join(root, 'runtime', 'test.mjs'), '--test-reporter=tap', ...flags];
  // No program is found but those in bin/. NODE_TEST_CONTEXT would make the inner run report to the outer one.
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH: join(root, 'bin'), TMPDIR, NODE_COMPILE_CACHE, NODE_TEST_CONTEXT: undefined };
  const options = { cwd: root, env, encoding: 'utf8', timeout: HANGING_MS } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, printed: stdout + stderr };
}

/** Adds a test file. Its body is a module that runs in `root`. */
export function addTest(root: string, name: string, body: string): void {
  const imports = `${ALONE}import { existsSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n`;
  writeFileSync(join(root, 'test', `${name}.test.ts`), `${imports}test('${name}', async () => { ${body} });\n`);
}
