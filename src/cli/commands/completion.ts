import { Argument, type Command } from 'commander';
import type { CliCommand } from '../terminal/manual.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function commands(program: CliCommand): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .allowExcessArguments() // the words of a command line, which the script gives at a Tab
    .description('print a script that completes commands and options in your shell')
    .examples(
      'tessera completion bash > ~/.local/share/bash-completion/completions/tessera',
      'tessera completion zsh > "$fpath[1]/_tessera"',
      'tessera completion fish > ~/.config/fish/completions/tessera.fish',
    )
    .action(async (shell: (typeof SHELLS)[number], _, { args }: Command) =>
      (await import('./work/completion.ts')).printCompletion(program, shell, args.slice(1)),
    );
}
