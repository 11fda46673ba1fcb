import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { ENDS } from '../../src/cli/terminal/exit.ts';
import { quoted, tableOf } from '../house/sources.ts';

const page = readFileSync('docs/cli.md', 'utf8');

/** The commands that the list of the page names. */
const listed = page
  .split('\n')
  .filter((line) => line.startsWith('- `'))
  .flatMap((line) => quoted(line.split(': ')[0] ?? ''));

interface Named {
  readonly name: string;
  readonly command: Command;
}

function everyCommand(command: Command, name: string): Named[] {
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap((child) => everyCommand(child, `${name} ${child.name()}`));
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

const commands = everyCommand(await buildProgram(), 'tessera');

suite('the tessera command is documented', () => {
  test('commands are found', () => assert.ok(commands.length > 25));

  for (const { name, command } of commands) {
    test(`${name} is in docs/cli.md by its group, and its help ends with an example`, () => {
      assert.ok(listed.includes(name.split(' ')[1] ?? ''), 'in the list');
      assert.match(helpOf(command), new RegExp(`Examples:\n  \\$ tessera .*${command.name()}`));
    });
  }

  test('every command that ends can print its result as JSON', () => {
    const without = commands.filter(({ command }) => !command.options.some(({ long }) => long === '--json'));
    assert.deepEqual(
      without.map(({ name }) => name),
      [
        'tessera serve',
        'tessera quickstart',
        'tessera config schema',
        'tessera backup follow',
        'tessera exec', // standard output belongs to the program that it runs
        'tessera guard schema',
      ],
    );
  });

  test('attack: no command takes a secret as an argument, where a process list would show it', () => {
    const isSecret = (text: string) => /secret|password|token|key|credential/i.test(text);
    const isHarmless = (text: string) => /<(?:file|format|duration|yes\|no|address)>/.test(text);
    const suspects = commands.flatMap(({ name, command: { options, registeredArguments } }) => {
      const flags = options.map((option) => option.flags).filter((text) => text.includes('<') && !isHarmless(text));
      const taken = [...flags, ...registeredArguments.map((argument) => argument.name())];
      return taken.filter(isSecret).map((text) => `${name} ${text}`);
    });
    assert.deepEqual(
      suspects,
      ['tessera identity passkey remove passkey', 'tessera keyring mint key', 'tessera keyring retire key'],
      'these take the id of a key or the name of a passkey',
    );
  });

  test('every exit code is in docs/cli.md', () => {
    const rows = tableOf(page, ['Code', 'Meaning']).map(([code, meaning]) => [Number(code), meaning]);
    assert.deepEqual(Object.values(ENDS), rows);
  });
});
