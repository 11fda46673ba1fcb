import type { Command } from 'commander';
import { configJsonSchema } from '../../../config/json-schema.ts';
import { configReference } from '../../../config/reference.ts';
import { shownConfig, shownYaml } from '../../../config/show.ts';
import { parseAddress } from '../../../store/postgres/address.ts';
import { examineNamedFiles } from '../../doctor/named-files.ts';
import { printFinding } from '../../doctor/print-finding.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted, print, printJson, result } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';

export async function checkConfig(command: Command): Promise<void> {
  const config = await configOf(command);
  // Throws if the address is malformed, as the start would.
  if (config.store.kind === 'postgres') parseAddress(config.store.url, process.env);
  const findings = examineNamedFiles(config).filter(({ verdict }) => verdict !== 'good');
  print(
    findings.length === 0 ? 'The configuration is in order.' : 'The settings are in order. The files that they name:',
  );
  for (const finding of findings) printFinding(finding);
  result(findings);
  const unusable = findings.filter(({ verdict }) => verdict === 'bad').length;
  if (unusable > 0) throw new CommandFailure('refused', `${counted(unusable, 'file')} cannot be used`);
}

export async function showConfig({ json }: { json?: true }, command: Command): Promise<void> {
  const shown = shownConfig(await configOf(command));
  if (json) printJson(shown);
  else process.stdout.write(shownYaml(shown));
}

export function printSchema(): void {
  printJson(configJsonSchema());
}

export function printReference(): void {
  process.stdout.write(configReference());
}
