import type { CliCommand } from '../terminal/cli-command.ts';
import { collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/objects.ts');

export function objectCommands(program: CliCommand): void {
  program
    .command('export')
    .description('print everything registered as YAML, without secrets')
    .option('--schema', 'print the JSON Schema of such files instead, for editors')
    .examples('tessera export > objects.yaml', 'tessera export --schema > objects.schema.json')
    .runs(administers(async () => (await work()).exportAll));
  withFiles(program.command('diff'))
    .description('show field by field what `apply` would do; exit code 2 if there is a difference')
    .examples('tessera diff -f objects.yaml')
    .runs(administers(async () => (await work()).diff));
  withFiles(program.command('apply'))
    .description('make what is registered equal to files, in one commit; removes nothing without --prune')
    .option('--yes', 'do it without a question')
    .examples('tessera apply -f objects.yaml', 'tessera apply -f objects/ --prune --yes')
    .runs(administers(async () => (await work()).apply));
}

function withFiles(command: CliCommand): CliCommand {
  return command
    .requiredOption('-f, --file <file>', 'a YAML file, or a folder of them; may be repeated', collect)
    .option('--prune', 'remove what the sections of the files do not have');
}
