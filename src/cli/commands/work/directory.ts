import type { Command } from 'commander';
import type { Config } from '../../../config/schema.ts';
import { openDirectories, openElsewhere } from '../../../open-directory.ts';
import { acceptEndings, type Walk, walk } from '../../../operations/upkeep/walk-directories.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { print, printJson } from '../../terminal/output.ts';
import { atWorkplace, configOf } from '../../terminal/workplace.ts';

type CheckFlags = { readonly label: string; readonly name?: string; readonly json?: true };

export async function check({ label, name, json }: CheckFlags, command: Command): Promise<void> {
  const { elsewhere } = await openElsewhere(configured(label, await configOf(command)));
  const steps = await Array.fromAsync(elsewhere?.examine(name) ?? []);
  if (json) printJson(steps);
  else for (const { passed, words } of steps) print(`${passed ? 'ok  ' : 'FAIL'} ${words}`);
  const failed = steps.filter(({ passed }) => !passed).length;
  if (failed > 0) throw new CommandFailure('refused', `${failed} of ${steps.length} checks failed`);
}

function configured(label: string, { directories }: Config) {
  const settings = directories.find((directory) => directory.label === label);
  if (settings) return settings;
  const known = directories.map((directory) => directory.label).join(', ') || 'none';
  throw new CommandFailure('refused', `no directory ${label} is configured`, `Configured: ${known}`);
}

type RecheckFlags = { readonly label: string; readonly acceptEndings?: true; readonly json?: true };

export function recheck({ label, ...flags }: RecheckFlags, command: Command): Promise<void> {
  return atWorkplace(command, async ({ config, store, by }) => {
    configured(label, config);
    const directories = await openDirectories(store, config);
    const directory = directories.elsewhere.find((one) => one.label === label);
    if (!directory) throw new CommandFailure('refused', `${label} cannot be asked about identities`);
    const ports = { store, directories, by };
    const done = flags.acceptEndings ? await acceptEndings(directory, ports) : await walk(directory, ports);
    if (flags.json) printJson(done);
    else report(done);
    const todo = `Look at them: tessera directory check ${label}. To end them: --accept-endings`;
    if (done.isAlarm)
      throw new CommandFailure('refused', `${done.ended} accounts ended there: none was ended here`, todo);
  });
}

function report({ living, ended, isAlarm, unreadable }: Walk): void {
  print(`${living} identities with living grants, ${isAlarm ? 0 : ended} ended`);
  for (const why of unreadable) print(`FAIL ${why}`);
}
