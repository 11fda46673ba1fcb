import type { Command } from 'commander';
import type { Finding } from '../doctor/finding.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { examples } from '../terminal/options.ts';
import { print, printJson } from '../terminal/output.ts';
import { configOf } from '../terminal/workplace.ts';

const MARKS = { good: 'ok  ', poor: 'warn', bad: 'FAIL' } as const;

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check files, certificates, clock, store, keyring and grants, and say what to do')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera doctor', 'tessera doctor --json | jq \'.[] | select(.verdict != "good")\''))
    .action(async ({ json }: { json?: true }, command: Command) => {
      const config = await configOf(command);
      const { examine } = await import('../doctor/examine.ts');
      const findings = await examine(config);
      if (json) printJson(findings);
      else for (const finding of findings) printFinding(finding);
      const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
      if (bad > 0) throw new CommandFailure('refused', `${bad} of ${findings.length} checks failed`);
    });
}

function printFinding({ verdict, about, says, todo }: Finding): void {
  print(`${MARKS[verdict]}  ${about}: ${says}`);
  if (todo !== undefined) print(`      ${todo}`);
}
