import { caseScript, type Shell } from './case-script.ts';
import type { DescribedCommand, Value } from './described.ts';

const ZSH: Shell = {
  range: 'i = 2; i < CURRENT; i++',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  word: '${words[i]}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  previous: '${words[CURRENT - 1]}',
  completeFiles: '_default; return',
  quote,
  answer,
  wordCase,
};

export function zshScript(program: DescribedCommand): string {
  return `#compdef tessera
# zsh completion for tessera, made by: tessera completion zsh
_tessera() {
  local at= next i
  local -a found
${caseScript(program, ZSH)}
}
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi`;
}

/** Words with their descriptions; files where the command takes one. */
function wordCase({ options, children, argument }: DescribedCommand): string {
  const words = [
    ...children.map(({ name, about }) => `${name}:${about}`),
    ...(Array.isArray(argument) ? argument : []),
    ...options.flatMap(({ flags, about }) =>
      flags.filter((flag) => flag.startsWith('--')).map((flag) => `${flag}:${about}`),
    ),
  ];
  const files = argument === 'file' ? '; [[ $PREFIX == -* ]] || _files' : '';
  return `found=(${words.map(quote).join(' ')}); _describe tessera found${files}`;
}

function answer(value: Value): string {
  if (value === 'file') return '_files';
  return typeof value === 'string' ? ':' : `compadd -- ${value.map(quote).join(' ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
