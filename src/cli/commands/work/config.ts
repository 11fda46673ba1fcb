import type { Command } from 'commander';
import { configJsonSchema, shownConfig, shownYaml } from '../../../config/show.ts';
import { storeAt } from '../../../open-store.ts';
import { examine, examineLifetimes, examineNamedFiles } from '../../doctor/examine.ts';
import { printFinding } from '../../doctor/finding.ts';
import { examineServer } from '../../doctor/store.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted, print, printJson, result } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';

export async function checkConfig({ offline }: { offline?: true }, command: Command): Promise<void> {
  const config = await configOf(command);
  await storeAt(config).checkAddress?.();
  const found = [
    ...examineLifetimes(config),
    ...examineNamedFiles(config),
    ...(offline ? [] : await examineServer(config)),
  ];
  const findings = found.filter(({ verdict }) => verdict !== 'good');
  const unusable = findings.filter(({ verdict }) => verdict === 'bad').length;
  if (findings.length === 0) print('The configuration is in order.');
  else print(unusable > 0 ? 'The settings are well-formed, but:' : 'The settings can be used, but:');
  for (const finding of findings) printFinding(finding);
  result(findings);
  if (unusable > 0) throw new CommandFailure('refused', `${counted(unusable, 'thing')} cannot be used`);
}

export async function showConfig({ json }: { json?: true }, command: Command): Promise<void> {
  const shown = shownConfig(await configOf(command));
  if (json) printJson(shown);
  else process.stdout.write(shownYaml(shown));
}

export function printSchema(): void {
  printJson(configJsonSchema());
}

export async function runDoctor({ json }: { json?: true }, command: Command): Promise<void> {
  const findings = await examine(await configOf(command));
  if (json) printJson(findings);
  else for (const finding of findings) printFinding(finding);
  const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
  if (bad > 0) throw new CommandFailure('refused', `${bad} of ${findings.length} checks failed`);
}
