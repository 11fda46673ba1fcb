import type { CliCommand } from '../terminal/cli-command.ts';

export function doctorCommand(program: CliCommand): void {
  program
    .command('doctor')
    .description('check files, certificates, clock, store, keyring and grants, and say what to do')
    .option('--json', 'as JSON')
    .examples('tessera doctor', 'tessera doctor --json | jq \'.[] | select(.verdict != "good")\'')
    .runs(async () => (await import('./work/doctor.ts')).runDoctor);
}
