// Completion in the shells that it is for: what each offers at the end of a command line.
// Needs: zsh, fish
// Only in test:all: each shell
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';

const folder = temporaryFolder('completion');
const files = join(folder, 'files');
mkdirSync(files);
writeFileSync(join(files, 'me.pem'), '');
writeFileSync(join(folder, 'tessera'), `#!/bin/sh\nexec ${process.execPath} ${TESSERA} "$@"\n`, { mode: 0o755 });
const env = commandEnvironment({ PATH: `${folder}:${process.env['PATH']}`, HOME: folder, LC_ALL: 'C.UTF-8' });
after(() => rmSync(folder, { recursive: true, force: true }));

const CAPTURE = join(import.meta.dirname, 'captured-completion.zsh');

/** The file of the script, and how the shell is asked. */
const SHELLS = {
  bash: ['tessera.bash', (line) => ['--norc', '-c', inBash(line.split(' '))]],
  zsh: ['_tessera', (line) => ['-f', CAPTURE, folder, line]],
  fish: [
    'tessera.fish',
    (line) => ['--no-config', '-c', `source ${folder}/tessera.fish; complete -C "$argv"`, '--', line],
  ],
} as const satisfies Record<string, readonly [string, (line: string) => readonly string[]]>;

/** Asks the function of the script. `compgen` does what bash does with \`compopt -o default\`, if nothing else fits. */
function inBash(words: readonly string[]): string {
  const typed = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
  const asFiles = `compopt() { [ "$*" = '-o default' ] && files=yes; }`;
  const orFiles = `[ $files ] && [ \${#COMPREPLY[@]} = 0 ] && COMPREPLY=($(compgen -f -- '${words.at(-1)}'))`;
  return `. ${folder}/tessera.bash; ${asFiles}; ${typed}; _tessera; ${orFiles}; printf '%s\\n' "\${COMPREPLY[@]}"`;
}

function run(program: string, args: readonly string[]): string {
  const ran = spawnSync(program, args, { cwd: files, env, encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([ran.status, ran.stderr], [0, ''], args.join(' '));
  return ran.stdout;
}

const GLOBALS = ['--server', '--login', '--config', '--debug', '--help', '--set', '--version'];

for (const [shell, [script, asked]] of Object.entries(SHELLS))
  suite(shell, () => {
    writeFileSync(join(folder, script), run('tessera', ['completion', shell]));
    const offered = (line: string): string[] => {
      // fish prints a description after each.
      const words = run(shell, asked(line)).split(/\r?\n/);
      return words
        .map((each) => each.split('\t')[0]?.trim() ?? '')
        .filter(Boolean)
        .sort();
    };

    test('completes commands', () => {
      assert.deepEqual(offered('tessera gr'), ['grant']);
      const commands = offered('tessera grant ').filter((each) => !GLOBALS.includes(each));
      assert.deepEqual(commands, ['list', 'revoke', 'show', 'timeline']);
    });

    test('completes options, also after other options and their values', () => {
      // fish 4 also offers options that have the letters somewhere, so these are more than one.
      assert.deepEqual(offered('tessera --debug grant list --identity ada --endi'), ['--ending']);
    });

    test('completes values: choices, yes or no, files, and nothing where anything goes', () => {
      assert.deepEqual(offered('tessera integration add x --binding '), ['certificate', 'dpop', 'identity', 'none']);
      assert.deepEqual(offered('tessera integration add x --refresh '), ['no', 'yes']);
      assert.deepEqual(offered('tessera completion z'), ['zsh']);
      assert.deepEqual(offered('tessera login --certificate '), ['me.pem']);
      assert.deepEqual(offered('tessera backup m'), ['me.pem']);
      assert.deepEqual(offered('tessera backup v'), ['verify']);
      assert.deepEqual(offered('tessera login --server '), []);
    });

    test('completes files after --, where another program begins', () => {
      assert.deepEqual(offered('tessera exec -- cat m'), ['me.pem']);
      assert.deepEqual(offered('tessera exec -- tessera gr'), []);
    });
  });
