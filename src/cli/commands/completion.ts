import { command } from '../terminal/command.ts';
import { needed, oneOf } from '../terminal/options.ts';

export const commands = {
  completion: command({
    about: 'print a script that completes commands and options in your shell',
    arguments: { shell: needed(oneOf('<shell>', ['bash', 'zsh', 'fish'], 'the shell')) },
    isOpen: true, // the words of a command line, which the script gives at a Tab
    examples: [
      'tessera completion bash > ~/.local/share/bash-completion/completions/tessera',
      'tessera completion zsh > "$fpath[1]/_tessera"',
      'tessera completion fish > ~/.config/fish/completions/tessera.fish',
    ],
    run: async ({ shell }, completion) => (await import('./work/completion.ts')).printCompletion(completion, shell),
  }),
};
