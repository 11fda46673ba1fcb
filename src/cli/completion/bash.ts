import { caseScript, type Shell } from './case-script.ts';
import type { DescribedCommand, Value } from './described.ts';

const BASH: Shell = {
  range: 'i = 1; i < COMP_CWORD; i++',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  word: '${COMP_WORDS[i]}',
  previous: '$prev',
  completeFiles: 'compopt -o default; return;',
  quote: (text) => `'${text}'`,
  answer,
  wordCase,
};

/** For bash 4 and newer. */
export function bashScript(program: DescribedCommand): string {
  return `# bash completion for tessera, made by: tessera completion bash
_tessera() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= next i
  COMPREPLY=()
${caseScript(program, BASH)}
}
complete -F _tessera tessera`;
}

function wordCase({ options, children, argument }: DescribedCommand): string {
  const words = [...children.map(({ name }) => name), ...(Array.isArray(argument) ? argument : [])];
  const flags = options.flatMap((option) => option.flags).filter((flag) => flag.startsWith('--'));
  const files = argument === 'file' ? '[[ $cur != -* ]] && compopt -o default; ' : '';
  return `${files}${answer([...words, ...flags])}`;
}

function answer(value: Value): string {
  if (value === 'file') return 'compopt -o default';
  if (typeof value === 'string') return ':';
  return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$cur"))`;
}
