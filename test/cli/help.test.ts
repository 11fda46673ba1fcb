import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

suite('help', () => {
  const folder = temporaryFolder('help');
  const commands = new Commands();
  const printedBy = async (...args: readonly string[]) => {
    const { status, printed } = await commands.run(args, { folder });
    return `${status} ${printed}`;
  };
  after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('help NAME… is NAME… --help, for every command', async () => {
    const paths = pathsIn(await buildProgram(), []);
    assert.ok(paths.length > 60);
    for (const path of paths) {
      const shown = await printedBy(...path, '--help');
      assert.match(shown, new RegExp(`^0 Usage: tessera ${path.join(' ')} `));
      assert.equal(await printedBy('help', ...path), shown, path.join(' '));
      const [group = '', ...rest] = path;
      if (rest.length > 0) assert.equal(await printedBy(group, 'help', ...rest), shown, path.join(' '));
    }
    const all = await printedBy('--help');
    for (const line of [['help'], ['help', 'help'], ['--config', 'help', 'help']])
      assert.equal(await printedBy(...line), all);
  });

  test('an unknown name is an error that names the closest one', async () => {
    const ofGroup = "2 tessera: unknown command 'ad'\n(Did you mean add?)\n  See: tessera integration --help\n";
    for (const line of ['help integration ad', 'integration help ad', 'integration ad --help', 'integration ad x -h'])
      assert.equal(await printedBy(...line.split(' ')), ofGroup, line);
    const ofAll = "2 tessera: unknown command 'intgration'\n(Did you mean integration?)\n  See: tessera --help\n";
    for (const line of ['help intgration add', 'intgration add --help'])
      assert.equal(await printedBy(...line.split(' ')), ofAll, line);
    assert.equal(await printedBy('help', 'xyzzy'), "2 tessera: unknown command 'xyzzy'\n  See: tessera --help\n");
  });

  test('an argument may be the word help', async () => {
    assert.match(await printedBy('integration', 'show', 'help'), /^4 tessera: there is no store/);
  });
});

function pathsIn(command: Command, path: readonly string[]): string[][] {
  return command.commands.flatMap((inner) => [[...path, inner.name()], ...pathsIn(inner, [...path, inner.name()])]);
}
