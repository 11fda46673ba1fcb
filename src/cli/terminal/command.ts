// Commands as plain objects, by which commander parses. The work of a command gets what its arguments and options are declared
// to be, by name.
import { Argument, type Command, Option } from 'commander';
import { type Given, type Input, type Inputs, inWords } from './options.ts';

/** Adds a command, and what is below it, to another one. */
export type Declares = (parent: Command, name: string) => void;

export type Commands = Readonly<Record<string, Declares>>;

/** `Place`: where it works, such as the store, or commander's command with the global options. */
export interface CommandDeclaration<A extends Inputs, O extends Inputs, Place> {
  readonly about: string;
  /** In this order. */
  readonly arguments?: A;
  readonly options?: O;
  readonly examples: readonly [string, ...string[]];
  /** What its group does if none of its commands is named. */
  readonly isDefault?: true;
  /** Further words are not a mistake. */
  readonly isOpen?: true;
  /** It is a group, too. */
  readonly commands?: Commands;
  readonly run: (given: NoInfer<Given<A & O>>, place: Place) => void | Promise<void>;
}

type None = Record<never, never>;

export function command<A extends Inputs = None, O extends Inputs = None>(
  declared: CommandDeclaration<A, O, Command>,
): Declares {
  const { arguments: words = {}, options = {}, examples, isDefault = false, isOpen = false, run } = declared;
  return (parent, name) => {
    const added = parent.command(name, { isDefault }).description(declared.about).allowExcessArguments(isOpen);
    for (const [word, input] of Object.entries<Input>(words)) added.addArgument(argumentOf(word, input));
    for (const [flag, input] of Object.entries<Input>(options))
      for (const option of optionsOf(flag, input)) added.addOption(option);
    added.addHelpText('after', examplesText(examples));
    declareAll(added, declared.commands ?? {});
    added.action(async () => run(givenTo(added, Object.keys(words), Object.keys(options)), added));
  };
}

export function group(about: string, commands: Commands): Declares {
  return (parent, name) => declareAll(parent.command(name).description(about), commands);
}

export function declareAll(parent: Command, commands: Commands): void {
  for (const [name, declare] of Object.entries(commands)) declare(parent, name);
}

/** For the end of a help text. */
export function examplesText(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

/** What was given of what is declared; without the rest of the global options. Commander has parsed it as the types say. */
function givenTo<G>(command: Command, words: readonly string[], flags: readonly string[]): G {
  const options = command.optsWithGlobals();
  const found = [
    ...words.map((word, at) => [word, command.processedArgs[at]] as const),
    ...flags.map((name) => [name, options[name]] as const),
  ];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as G;
}

function argumentOf(name: string, { about, value, choices, isSure, parse }: Input): Argument {
  const word = inWords(name, '_');
  const argument = new Argument(value ?? (isSure ? `<${word}>` : `[${word}]`), about);
  if (parse) argument.argParser(parse);
  return choices ? argument.choices(choices) : argument;
}

function optionsOf(name: string, input: Input): Option[] {
  const { about, none, short, value, parse, choices, conflicts, usual, isSure } = input;
  const flag = inWords(name, '-');
  const without = none === undefined ? [] : [new Option(`--no-${flag}`, none)];
  if (about === undefined) return without;
  const option = new Option([short && `${short},`, `--${flag}`, value].filter(Boolean).join(' '), about);
  if (parse) option.argParser(parse);
  if (choices) option.choices(choices);
  if (conflicts) option.conflicts([...conflicts]);
  if (usual !== undefined) option.default(parse ? parse(usual) : usual, usual);
  return [option.makeOptionMandatory(isSure === true && usual === undefined), ...without];
}
