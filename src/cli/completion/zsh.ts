import { type DescribedCommand, everyCommand, type Value } from './described.ts';
import { valueCases } from './value-cases.ts';

export function zshScript(program: DescribedCommand): string {
  const commands = everyCommand(program);
  return `#compdef tessera
# zsh completion for tessera, made by: tessera completion zsh
_tessera() {
  local at= next i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    [[ \${words[i]} == -- ]] && { _default; return }
    next="\${at:+$at }\${words[i]}"
    case $next in
      ${commands
        .slice(1)
        .map(({ path }) => quote(path))
        .join(' | ')}) at=$next ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${commands.flatMap((command) => valueCases(command, answer)).join('\n')}
  esac
  case $at in
${commands.map(wordCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi`;
}

/** Words with their descriptions; files where the command takes one. */
function wordCase({ path, options, children, argument }: DescribedCommand): string {
  const words = [
    ...children.map(({ name, about }) => `${name}:${about}`),
    ...(Array.isArray(argument) ? argument : []),
    ...options.flatMap(({ flags, about }) =>
      flags.filter((flag) => flag.startsWith('--')).map((flag) => `${flag}:${about}`),
    ),
  ];
  const files = argument === 'file' ? '; [[ $PREFIX == -* ]] || _files' : '';
  return `    ${quote(path)}) found=(${words.map(quote).join(' ')}); _describe tessera found${files} ;;`;
}

function answer(value: Value): string {
  if (value === 'file') return '_files';
  return typeof value === 'string' ? ':' : `compadd -- ${value.map(quote).join(' ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
