import type { Command } from 'commander';
import { bashScript } from '../../completion/bash.ts';
import { describeCommands } from '../../completion/described.ts';
import { fishScript } from '../../completion/fish.ts';
import { zshScript } from '../../completion/zsh.ts';
import { print } from '../../terminal/output.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function printCompletion(shell: keyof typeof SCRIPTS, program: Command): void {
  print(SCRIPTS[shell](describeCommands(program)));
}
