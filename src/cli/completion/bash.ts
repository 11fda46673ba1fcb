import { type DescribedCommand, everyCommand, type Value } from './described.ts';
import { valueCases } from './value-cases.ts';

/** For bash 4 and newer. */
export function bashScript(program: DescribedCommand): string {
  const commands = everyCommand(program);
  return `# bash completion for tessera, made by: tessera completion bash
_tessera() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= next i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && { compopt -o default; return; }
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case $next in
      ${commands
        .slice(1)
        .map(({ path }) => quote(path))
        .join(' | ')}) at=$next ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap((command) => valueCases(command, answer)).join('\n')}
  esac
  case $at in
${commands.map(wordCase).join('\n')}
  esac
}
complete -F _tessera tessera`;
}

function wordCase({ path, options, children, argument }: DescribedCommand): string {
  const words = [...children.map(({ name }) => name), ...(Array.isArray(argument) ? argument : [])];
  const flags = options.flatMap((option) => option.flags).filter((flag) => flag.startsWith('--'));
  const files = argument === 'file' ? '[[ $cur != -* ]] && compopt -o default; ' : '';
  return `    ${quote(path)}) ${files}${answer([...words, ...flags])} ;;`;
}

function answer(value: Value): string {
  if (value === 'file') return 'compopt -o default';
  if (typeof value === 'string') return ':';
  return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$cur"))`;
}

function quote(text: string): string {
  return `'${text}'`;
}
