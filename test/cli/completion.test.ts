import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { bashScript } from '../../src/cli/completion/bash.ts';
import { describeCommands, everyCommand } from '../../src/cli/completion/described.ts';
import { fishScript } from '../../src/cli/completion/fish.ts';
import { zshScript } from '../../src/cli/completion/zsh.ts';
import { buildProgram } from '../../src/cli/program.ts';

const described = describeCommands(buildProgram());
const SCRIPTS = { bash: bashScript(described), zsh: zshScript(described), fish: fishScript(described) };

/** What bash offers at the end of this command line. */
function offered(line: string): string[] {
  const words = line.split(' ');
  const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
  const code = `${SCRIPTS.bash}\ncompopt() { echo "compopt $*"; }\n${set}; _tessera; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', code], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\n').filter(Boolean);
}

suite('completion in bash', () => {
  test('of commands', () => {
    assert.deepEqual(offered('tessera gr'), ['grant']);
    assert.deepEqual(offered('tessera grant '), [
      ...'list show revoke'.split(' '),
      '--config',
      '--set',
      '--debug',
      '--version',
      '--help',
    ]);
  });

  test('of options, also after other options and their values', () => {
    assert.deepEqual(offered('tessera --debug grant list --identity ada --e'), ['--ending']);
  });

  test('of values: choices, yes or no, files, and nothing where anything goes', () => {
    assert.deepEqual(offered('tessera integration add x --binding '), ['none', 'identity', 'certificate']);
    assert.deepEqual(offered('tessera integration add x --refresh '), ['yes', 'no']);
    assert.deepEqual(offered('tessera completion z'), ['zsh']);
    assert.deepEqual(offered('tessera login --certificate '), ['compopt -o default']);
    const names = ['follow', 'verify'];
    assert.deepEqual(offered('tessera backup '), ['compopt -o default', ...names, ...offered('tessera backup -')]);
    assert.deepEqual(offered('tessera login --server '), []);
  });

  test('after -- it is the program that counts', () => {
    assert.deepEqual(offered('tessera exec -- tessera gr'), ['compopt -o default']);
  });
});

for (const [shell, script] of Object.entries(SCRIPTS)) {
  test(`${shell}: every command and option is in the script`, () => {
    const commands = everyCommand(described);
    assert.ok(commands.length > 40);
    for (const { path, options } of commands) {
      assert.ok(script.includes(`'${path}'`) || script.includes(`\\'${path}\\'`), path);
      for (const flag of options.flatMap(({ flags }) => flags).filter((each) => each.startsWith('--')))
        assert.ok(script.includes(shell === 'fish' ? `-l ${flag.slice(2)}` : flag), `${path} ${flag}`);
    }
  });
}
