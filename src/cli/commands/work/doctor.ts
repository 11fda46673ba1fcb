import type { Command } from 'commander';
import { examine } from '../../doctor/examine.ts';
import { printFinding } from '../../doctor/finding.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { printJson } from '../../terminal/output.ts';
import { configOf } from '../../terminal/workplace.ts';

export async function runDoctor({ json }: { json?: true }, command: Command): Promise<void> {
  const findings = await examine(await configOf(command));
  if (json) printJson(findings);
  else for (const finding of findings) printFinding(finding);
  const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
  if (bad > 0) throw new CommandFailure('refused', `${bad} of ${findings.length} checks failed`);
}
