import { type DescribedCommand, type DescribedOption, everyCommand, type Value } from './described.ts';

export function fishScript(program: DescribedCommand): string {
  const commands = everyCommand(program);
  return `# fish completion for tessera, made by: tessera completion fish
function __tessera_at
    set -l at
    for word in (commandline -opc)[2..]
        test "$word" = --; and return 1
        set -l next (string join -- ' ' $at $word)
        if contains -- $next ${commands
          .slice(1)
          .map(({ path }) => quote(path))
          .join(' ')}
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
function __tessera_program
    contains -- -- (commandline -opc)
end
complete -c tessera -n 'not __tessera_program' -f
${commands.flatMap(linesOf).join('\n')}`;
}

function linesOf({ path, options, children, argument }: DescribedCommand): string[] {
  const line = `complete -c tessera -n ${quote(`__tessera_at ${quote(path)}`)}`;
  return [
    ...children.map(({ name, about }) => `${line} -a ${quote(name)} -d ${quote(about)}`),
    ...(Array.isArray(argument) ? [`${line} -a ${quote(argument.join(' '))}`] : []),
    ...(argument === 'file' ? [`${line} -F`] : []),
    ...options.map((option) => `${line} ${flagsOf(option)}${valueAfter(option.value)} -d ${quote(option.about)}`),
  ];
}

function flagsOf({ flags }: DescribedOption): string {
  return flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
}

function valueAfter(value: Value): string {
  if (value === 'nothing') return '';
  if (value === 'file') return ' -r -F';
  return value === 'anything' ? ' -x' : ` -x -a ${quote((value as readonly string[]).join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
