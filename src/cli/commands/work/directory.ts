import type { Command } from 'commander';
import { openElsewhere } from '../../../open-directory.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { print, printJson } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';

export interface CheckFlags {
  readonly name?: string;
  readonly json?: true;
}

export async function check(label: string, { name, json }: CheckFlags, command: Command): Promise<void> {
  const { directories } = await configOf(command);
  const settings = directories.find((directory) => directory.label === label);
  if (!settings) {
    const known = directories.map((directory) => directory.label).join(', ') || 'none';
    throw new CommandFailure('refused', `no directory ${label} is configured`, `Configured: ${known}`);
  }
  const { elsewhere } = openElsewhere(settings);
  const steps = await Array.fromAsync(elsewhere?.examine(name) ?? []);
  if (json) printJson(steps);
  else for (const { passed, words } of steps) print(`${passed ? 'ok  ' : 'FAIL'} ${words}`);
  const failed = steps.filter(({ passed }) => !passed).length;
  if (failed > 0) throw new CommandFailure('refused', `${failed} of ${steps.length} checks failed`);
}
