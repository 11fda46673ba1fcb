// Completion in shells. A script is thin: at every Tab it runs this command with the words so far, and gets what may follow.
import type { Argument, Command, Option } from 'commander';
import { printOnly } from '../../terminal/output.ts';

/** A line that stands for names of files, which the shell completes itself. */
const FILES = ':files';

type Candidate = readonly [word: string, about?: string];

interface Shell {
  readonly script: string;
  /** What the script gets for each candidate. bash shows no descriptions. */
  readonly line: (candidate: Candidate) => string;
}

const SHELLS: Readonly<Record<'bash' | 'zsh' | 'fish', Shell>> = {
  bash: {
    script: `_tessera() {
  local cur=\${COMP_WORDS[COMP_CWORD]} found
  found=$(tessera completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  [[ $found == ${FILES}* && $cur != -* ]] && compopt -o default
  COMPREPLY=($(compgen -W "\${found#${FILES}}" -- "$cur"))
}
complete -F _tessera tessera`,
    line: ([word]) => word,
  },
  zsh: {
    script: `#compdef tessera
_tessera() {
  local -a found
  found=(\${(f)"$(tessera completion zsh -- "\${(@)words[2,CURRENT]}" 2> /dev/null)"})
  [[ $found[1] == ${FILES} && $PREFIX != -* ]] && _files
  found=(\${found:#${FILES}})
  _describe tessera found
}
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi`,
    line: (candidate) => candidate.join(':'),
  },
  fish: {
    script: `function __tessera
    set -l found (tessera completion fish -- (commandline -opc)[2..] (commandline -ct) 2> /dev/null)
    contains -- ${FILES} $found; and __fish_complete_path (commandline -ct)
    string match -v -- ${FILES} $found
end
complete -c tessera -f -a '(__tessera)'`,
    line: (candidate) => candidate.join('\t'),
  },
};

/** Without words, the script. With words, what may stand in place of the last one: the shell picks what fits it. */
export function printCompletion({ parent, args }: Command, name: keyof typeof SHELLS): void {
  const { script, line } = SHELLS[name];
  const words = args.slice(1);
  const candidates = parent ? candidatesAfter(parent, words.slice(0, -1)) : [];
  if (words.length === 0) printOnly(script, { shell: name, script });
  else printOnly(candidates.map(line).join('\n'), { candidates });
}

function candidatesAfter(program: Command, words: readonly string[]): readonly Candidate[] {
  if (words.includes('--')) return [[FILES]]; // the words of another program
  const command = words.reduce((at, word) => at.commands.find((inner) => inner.name() === word) ?? at, program);
  const options = [...new Set([...command.options, ...program.options])];
  const option = options.find(({ short, long }) => [short, long].includes(words.at(-1) ?? ''));
  if (option && !option.isBoolean()) return valuesOf(option);
  return [
    ...command.registeredArguments.slice(0, 1).flatMap(valuesOf),
    ...command.commands.map((inner) => [inner.name(), inner.description()] as const),
    ...options.map(({ long, description }) => [long ?? '', description] as const),
    ['--help', 'display help for command'],
  ];
}

/** Its choices, also those of `<yes|no>`; files; or nothing, where anything may stand. */
function valuesOf(of: Option | Argument): Candidate[] {
  const written = 'flags' in of ? of.flags : `<${of.name()}>`;
  if (/<(?:file|folder|path)s?[.>]/.test(written)) return [[FILES]];
  const choices = of.argChoices ?? /<(\w+(?:\|\w+)+)>/.exec(written)?.[1]?.split('|') ?? [];
  return choices.map((word) => [word]);
}
