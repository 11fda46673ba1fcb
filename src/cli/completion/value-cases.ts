import type { DescribedCommand, Value } from './described.ts';

/** The branches of a `case "$at $prev"`, for bash and zsh: what follows an option that takes a value. */
export function valueCases({ path, options }: DescribedCommand, answer: (value: Value) => string): string[] {
  return options
    .filter(({ value }) => value !== 'nothing')
    .map(({ flags, value }) => {
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join(' | ');
      return `    ${patterns}) ${answer(value)}; return ;;`;
    });
}
