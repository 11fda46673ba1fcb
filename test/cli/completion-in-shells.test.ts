// The completion scripts in the shells that they are for: what each offers at the end of a command line.
// Needs: zsh, fish
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { describeCommands } from '../../src/cli/completion/described.ts';
import { fishScript } from '../../src/cli/completion/fish.ts';
import { zshScript } from '../../src/cli/completion/zsh.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const described = describeCommands(buildProgram());
const folder = temporaryFolder('completion');
const files = join(folder, 'files');
mkdirSync(files);
writeFileSync(join(files, 'me.pem'), '');
writeFileSync(join(folder, '_tessera'), zshScript(described));
writeFileSync(join(folder, 'tessera.fish'), fishScript(described));
after(() => rmSync(folder, { recursive: true, force: true }));

const CAPTURE = join(import.meta.dirname, 'captured-completion.zsh');

/** How each shell is asked. */
const SHELLS: Readonly<Record<string, (line: string) => readonly string[]>> = {
  zsh: (line) => ['-f', CAPTURE, folder, line],
  fish: (line) => ['--no-config', '-c', `source ${folder}/tessera.fish; complete -C "$argv"`, '--', line],
};

function offered(shell: string, line: string): string[] {
  const args = SHELLS[shell]?.(line) ?? [];
  const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd: files, env, encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([status, stderr], [0, ''], line);
  // fish prints a description after each.
  const words = stdout.split(/\r?\n/).map((each) => each.split('\t')[0]?.trim() ?? '');
  return words.filter(Boolean).sort();
}

const GLOBALS = ['--config', '--debug', '--help', '--set', '--version'];

for (const shell of Object.keys(SHELLS))
  suite(shell, () => {
    test('completes commands', () => {
      assert.deepEqual(offered(shell, 'tessera gr'), ['grant']);
      const commands = offered(shell, 'tessera grant ').filter((each) => !GLOBALS.includes(each));
      assert.deepEqual(commands, ['list', 'revoke', 'show']);
    });

    test('completes options, also after other options and their values', () => {
      // fish 4 also offers options that have the letters somewhere, so these are more than one.
      assert.deepEqual(offered(shell, 'tessera --debug grant list --identity ada --endi'), ['--ending']);
    });

    test('completes values: choices, yes or no, files, and nothing where anything goes', () => {
      assert.deepEqual(offered(shell, 'tessera integration add x --binding '), ['certificate', 'identity', 'none']);
      assert.deepEqual(offered(shell, 'tessera integration add x --refresh '), ['no', 'yes']);
      assert.deepEqual(offered(shell, 'tessera completion z'), ['zsh']);
      assert.deepEqual(offered(shell, 'tessera login --certificate '), ['me.pem']);
      assert.deepEqual(offered(shell, 'tessera login --server '), []);
    });

    test('completes files after --, where another program begins', () => {
      assert.deepEqual(offered(shell, 'tessera exec -- cat m'), ['me.pem']);
      assert.deepEqual(offered(shell, 'tessera exec -- tessera gr'), []);
    });
  });
