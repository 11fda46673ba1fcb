// Commands as a manual has them. A line has a command or a flag, two spaces, and what it is for; below a command are its arguments,
// flags and examples; below the first group, arguments that its commands share. What is in brackets at the end of a line is the
// default, such as `[= 90d]`, or the choices, such as `[once|reusable]`; `-> flows.device` is the member of a registered thing that a
// flag sets. A line that begins further to the right continues the one before.
import { Command, Option } from 'commander';
import { asCount, asDuration, asYesNo, collect } from './options.ts';

/** By the name of a command: loads its work. */
type Works = Readonly<Record<string, () => Promise<Work>>>;

type Parse = (text: string, before?: unknown) => unknown;

/** By argument or long flag, where the placeholder does not say how its text is parsed. */
type Parsers = Readonly<Record<string, Parse>>;

const LINE = /^(.+?)(?: {2,}(.*?)(?: \[= ([^\]]+)\])?(?: \[([^\]]+)\])?(?: -> (\S+))?)?$/;

type Line = ReturnType<typeof readLine>;

function readLine(line: string) {
  const [, written = '', about = '', usual, choices, member] = LINE.exec(line.trim()) ?? [];
  return { written, about, usual, choices: choices?.split('|'), member };
}

/** Declares the commands of a text. A group is declared before its commands, and has neither examples nor work. */
export function declares(text: string, works: Works, parsers: Parsers = {}): (program: CliCommand) => void {
  const blocks = linesIn(text)
    .join('\n')
    .split(/\n(?! )/)
    .map((block) => block.split('\n').map(readLine));
  const named = new Set(
    blocks.flatMap(([heading, ...lines]) => [namesOf(heading).join(' '), ...wordsOf(heading, ...lines)]),
  );
  for (const name of [...Object.keys(works), ...Object.keys(parsers)])
    if (!named.has(name)) throw new Error(`${name} is not in the text of the commands`);
  return (program) => {
    for (const block of blocks) declare(program, block, { shared: blocks[0] ?? [], works, parsers });
  };
}

function wordsOf(...lines: readonly (Line | undefined)[]): string[] {
  return lines.flatMap((line) => line?.written.split(/[ ,]+/) ?? []);
}

function namesOf(heading: Line | undefined): string[] {
  return wordsOf(heading).filter((word) => /^\w/.test(word));
}

function linesIn(text: string): string[] {
  return text
    .replaceAll(/\n {6,}/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
}

function declare(
  program: CliCommand,
  [heading, ...lines]: readonly Line[],
  { shared, works, parsers }: { shared: readonly Line[]; works: Works; parsers: Parsers },
): void {
  const [words, names] = [wordsOf(heading), namesOf(heading)];
  const isDefault = heading?.choices?.[0] === 'default';
  const group = names.slice(0, -1).reduce(innerOf, program);
  const command = group.command(names.at(-1) ?? '', { isDefault }).description(heading?.about ?? '');
  for (const argument of words.slice(names.length)) {
    const about = [...lines, ...shared].find(({ written }) => written === argument)?.about;
    command.argument(argument, about ?? '', parsers[argument] as Parse);
  }
  for (const line of lines) if (line.written.startsWith('-')) command.addOption(optionOf(line, parsers));
  const needed = lines.find(({ written }) => written.startsWith('needs '))?.written.split(' ') ?? [];
  for (const option of command.options) if (needed.includes(option.long ?? '')) option.makeOptionMandatory();
  const examples = lines.flatMap(({ written }) => (written.startsWith('$ ') ? written.slice(2) : []));
  const work = works[names.join(' ')];
  if (!work !== (examples.length === 0)) throw new Error(`${names.join(' ')} lacks its work or an example`);
  if (work) command.examples(...examples).action(async (...given) => (await work())(...given));
}

function innerOf(group: CliCommand, name: string): CliCommand {
  return group.commands.find((inner) => inner.name() === name) as CliCommand;
}

function optionOf({ written, about, usual, choices }: Line, parsers: Parsers): Option {
  const option = new Option(written, about);
  const parse = parsers[option.long ?? ''] ?? parserOf(written, about);
  if (choices) return option.choices(choices);
  if (parse) option.argParser(parse);
  return usual === undefined ? option : option.default(parse ? parse(usual) : usual);
}

function parserOf(flag: string, about: string): Parse | undefined {
  if (flag.includes('yes|no')) return asYesNo;
  if (flag.includes('<duration>')) return asDuration;
  if (flag.includes('<count>')) return asCount;
  return about.includes('may be repeated') ? (collect as Parse) : undefined;
}

export type Flags = Readonly<Record<string, unknown>>;

/** Makes what flags describe; what they do not name is as before. `as`: by member, what it is made of, if not of the value of the flag. */
export function describes(
  text: string,
  as: Readonly<Record<string, (value: never) => unknown>> = {},
): (given: Flags, before?: object) => Record<string, unknown> {
  const lines = linesIn(text).map(readLine);
  return (given, before = {}) => {
    const described = structuredClone(before) as Record<string, unknown>;
    for (const { written, about, member } of lines) {
      const value = given[new Option(written).attributeName()];
      if (member === undefined || value === undefined) continue;
      const isNone = value === false && (about.includes('may be repeated') || written.includes('...'));
      setMember(described, member, isNone ? [] : (as[member]?.(value as never) ?? value));
    }
    return described;
  };
}

function setMember(described: Record<string, unknown>, path: string, value: unknown): void {
  const [outer = '', inner] = path.split('.');
  described[outer] = inner === undefined ? value : { ...(described[outer] as object), [inner]: value };
}

// biome-ignore lint/suspicious/noExplicitAny: as in the type of commander's actions
export type Work = (...given: any[]) => void | Promise<void>;

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Lines at the end of its help text. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }
}
