import type { Command } from 'commander';
import { bashScript } from '../../completion/bash.ts';
import { describeCommands } from '../../completion/described.ts';
import { fishScript } from '../../completion/fish.ts';
import { zshScript } from '../../completion/zsh.ts';
import { printOnly } from '../../terminal/output.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function printCompletion(shell: keyof typeof SCRIPTS, program: Command): void {
  const script = SCRIPTS[shell](describeCommands(program));
  printOnly(script, { shell, script });
}
