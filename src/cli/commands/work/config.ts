import type { Command } from 'commander';
import { configJsonSchema } from '../../../config/json-schema.ts';
import { configReference } from '../../../config/reference.ts';
import { shownConfig, shownYaml } from '../../../config/show.ts';
import { print, printJson } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';

export async function checkConfig(command: Command): Promise<void> {
  await configOf(command);
  print('The configuration is in order.');
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
