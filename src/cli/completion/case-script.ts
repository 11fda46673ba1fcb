// The body of the completion function that bash and zsh share: a loop that finds the command, then one `case` for the values of
// options and one for words.
import { type DescribedCommand, everyCommand, type Value } from './described.ts';

/** What the shells write differently. */
export interface Shell {
  /** The bounds of a loop over the words before the cursor. */
  readonly range: string;
  /** The word at `i`. */
  readonly word: string;
  /** The word before the cursor. */
  readonly previous: string;
  /** Completes files and returns: after `--`, the words belong to another program. */
  readonly completeFiles: string;
  readonly quote: (text: string) => string;
  readonly answer: (value: Value) => string;
  readonly wordCase: (command: DescribedCommand) => string;
}

export function caseScript(program: DescribedCommand, shell: Shell): string {
  const commands = everyCommand(program);
  const paths = commands.slice(1).map(({ path }) => shell.quote(path));
  return `  for ((${shell.range})); do
    [[ ${shell.word} == -- ]] && { ${shell.completeFiles} }
    next="\${at:+$at }${shell.word}"
    case $next in
      ${paths.join(' | ')}) at=$next ;;
    esac
  done
  case "$at ${shell.previous}" in
${commands.flatMap((command) => valueCases(command, shell)).join('\n')}
  esac
  case $at in
${commands.map((command) => `    ${shell.quote(command.path)}) ${shell.wordCase(command)} ;;`).join('\n')}
  esac`;
}

/** What follows an option that takes a value. */
function valueCases({ path, options }: DescribedCommand, { answer }: Shell): string[] {
  return options
    .filter(({ value }) => value !== 'nothing')
    .map(({ flags, value }) => {
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join(' | ');
      return `    ${patterns}) ${answer(value)}; return ;;`;
    });
}
