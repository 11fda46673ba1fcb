// Every command, flag, npm script and drill that a page mentions must exist.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { commands as callerCommands } from '../../src/cli/commands/caller.ts';
import { FLAGS } from '../../src/cli/commands/work/explain-assertion.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { declareAll } from '../../src/cli/terminal/command.ts';
import { TO_TYPE } from '../../src/cli/terminal/wording.ts';
import { ACTS } from '../../src/operations/admin/acts.ts';
import { assertEach, CODE, COMMAND_LINES, PAGES, SPANS } from './mentioning-pages.ts';
import type { Mention } from './mentions.ts';
import { read, type Source } from './sources.ts';

const ofServer = await buildProgram();
const ofClient = new Command();
declareAll(ofClient, callerCommands);
const flagsOf = (command: Command) => command.options.flatMap(({ long, short }) => [long, short]);
const find = (command: Command, name: string) => command.commands.find((child) => child.name() === name);

/** A group without an action of its own: the next word must name one of its commands. */
const isGroup = ({ commands, registeredArguments }: Command) => commands.length > 0 && registeredArguments.length === 0;

/** Whether the words are a command with flags that it has. Arguments are not looked at. */
function isCommand(line: string, program = ofServer): boolean {
  const words = line
    .replaceAll(/'[^']*'/g, 'quoted')
    .replace(/ -- .*/, '') // what `tessera exec` runs
    .split(' ')
    .filter(Boolean);
  let command: Command = program;
  const known = [...flagsOf(program), '--help', '-h'];
  for (const [at, word] of words.entries()) {
    const child = command.commands.length > 0 && !word.startsWith('-') ? find(command, word) : undefined;
    const isValue = at > 0 && /^(?:--set|--config|-c)$/.test(words[at - 1] ?? '');
    if (child) command = child;
    else if (word.startsWith('-') && word !== '-' && ![...known, ...flagsOf(command)].includes(word.split('=')[0]))
      return false;
    else if (isGroup(command) && !word.startsWith('-') && !isValue && word !== '…') return false;
  }
  return true;
}

test('every command line of tessera names a command and its flags', () => {
  const prefix = /^(?:npm run tessera -- |tessera )/;
  const called = COMMAND_LINES.filter(({ text }) => prefix.test(text));
  const short = SPANS.filter(
    ({ text }) => /^[a-z-]+ (?:[a-z-]+ )?--?[a-z]/.test(text) && find(ofServer, text.split(' ')[0] ?? ''),
  );
  assertEach([...called, ...short], 100, (line) => isCommand(line.replace(prefix, '')));
});

test('every command line of tessera-client does, too', () => {
  const prefix = /^tessera-client /;
  const called = COMMAND_LINES.filter(({ text }) => prefix.test(text));
  assertEach(called, 5, (line) => isCommand(line.replace(prefix, ''), ofClient));
});

test('a command or a flag that does not exist is found', () => {
  assert.equal(isCommand('grant list', ofClient), false);
  for (const line of ['grant count', 'grant list --endless 3d', 'sevre', 'serve --fast'])
    assert.equal(isCommand(line), false, line);
  for (const line of ['grant list --ending 30d', '--set a=b serve', 'events --after 3 --json'])
    assert.ok(isCommand(line), line);
});

test('every command and flag that the terminal adds to a refusal exists', () => {
  const flags = new Set(allOf(ofServer).flatMap(flagsOf));
  const texts = Object.values(TO_TYPE);
  const commands = texts.flatMap((text) => [...text.matchAll(/tessera ([^,;.(]+)/g)].map(([, line = '']) => line));
  assert.ok(commands.length > 20);
  assert.deepEqual(
    commands.filter((line) => !isCommand(line)),
    [],
  );
  const named = texts.flatMap((text) => text.match(/--[a-z-]+/g) ?? []);
  assert.deepEqual(
    named.filter((flag) => !flags.has(flag)),
    [],
  );
  const ofTokenIssuer = flagsOf(find(find(ofServer, 'token-issuer') as Command, 'change') as Command);
  assert.deepEqual(
    Object.values(FLAGS).filter((flag) => !ofTokenIssuer.includes(flag)),
    [],
  );
});

test('every command that an act names exists', () => {
  const named = Object.values(ACTS).flatMap(({ command }) => {
    const [first = '', ...others] = command.split(', ');
    return [first, ...others.map((verb) => first.replace(/\S+$/, verb))];
  });
  assert.ok(named.length > 40);
  assert.deepEqual(
    named.filter((line) => !isCommand(line)),
    [],
  );
});

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

test('every flag in a code span of its own exists', () => {
  const ofServers = new Set(allOf(ofServer).flatMap(flagsOf));
  const ofOthers = ['--cert', '--key', '--use-largepages'];
  const named = SPANS.filter(({ text }) => /^--[a-z-]+(?:[ =]|$)/.test(text));
  assertEach(named, 20, (text) => {
    const [flag = ''] = text.split(/[ =]/);
    const isInCode = () => CODE.some((source) => source.text.includes(flag) && !source.path.startsWith('test/'));
    return ofServers.has(flag) || ofOthers.includes(flag) || isInCode();
  });
});

test('every npm script exists, and so does what it is asked to run', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const menu = read('lab/main.ts');
  const called = COMMAND_LINES.filter(({ text }) => /^npm (?:run [a-z]|test|start)/.test(text));
  assertEach(called, 40, (line) => {
    const [, script = '', name] = /^npm (?:run )?([\w-]+)(?: -- ([a-z][\w-]*)(?= |$))?/.exec(line) ?? [];
    return script in scripts && (script !== 'lab' || !name || new RegExp(`^ +'?${name}'?: \\[`, 'm').test(menu));
  });
});

/** The names in a list such as: drills `a`, `b` and `c`. */
const drillsOf = ({ path, text }: Source): Mention[] =>
  [
    ...text.matchAll(/(?:drills? |`npm run lab -- )((?:`?[a-z][\w-]*`(?:, | and |,\n|\nand |(?=[\s;.:|)])))+)/g),
  ].flatMap(([, list = '']) => [...list.matchAll(/([\w-]+)`/g)].map(([, name = '']) => ({ page: path, text: name })));

test('every drill that a page names exists, also in a list', () => {
  const menu = read('lab/main.ts');
  const pages = [...PAGES, { path: 'test/threats.md', text: read('test/threats.md') }];
  assertEach(pages.flatMap(drillsOf), 8, (name) => new RegExp(`^ +'?${name}'?: \\[`, 'm').test(menu));
});

test('every script of the quick start that a page names is one that it writes', () => {
  const flows = read('src/cli/quickstart/flows.ts');
  const named = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/data\/try\/([\w-]+)\.sh/g)].map(([, name = '']) => ({ page: path, text: name })),
  );
  assertEach(named, 2, (name) => flows.includes(`name: '${name}'`));
});
