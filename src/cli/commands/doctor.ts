import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check files, certificates, clock, store, keyring and grants, and say what to do')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera doctor', 'tessera doctor --json | jq \'.[] | select(.verdict != "good")\''))
    .action(async (flags: { json?: true }, command: Command) =>
      (await import('./work/doctor.ts')).runDoctor(flags, command),
    );
}
