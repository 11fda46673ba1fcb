// Copies of a SQLite store: one, or a continuous backup.
import type { CliCommand } from '../terminal/cli-command.ts';
import { asDuration, atLeast } from '../terminal/options.ts';

const work = () => import('./work/backup.ts');

export function backupCommands(program: CliCommand): void {
  const group = program
    .command('backup [file]')
    .description('copy the SQLite store to a file, while the service runs; keep the keyring elsewhere')
    .examples('tessera backup /backup/tessera-2026-11-15.db')
    .runs(async () => (await work()).backUpTo);

  group
    .command('follow <folder>')
    .description('keep a continuous backup of the SQLite store in a folder, until a signal stops it')
    .option('--command <command>', 'run for each complete file; $TESSERA_BACKUP_FILE and $TESSERA_BACKUP_NAME name it')
    .option('--keep <duration>', 'keep the backup for this long', asDuration, asDuration('14d'))
    .option(
      '--series <duration>',
      'begin with a new copy of the whole store this often, at least a minute',
      atLeast(60),
      asDuration('1d'),
    )
    .option('--segment <duration>', 'how often a file is complete, for --command', atLeast(1), asDuration('10s'))
    .examples('tessera backup follow /backup/tessera --keep 30d')
    .runs(async () => (await work()).follow);

  group
    .command('verify <backup>')
    .description('check a copy, or rebuild each series of a continuous backup and check it; changes nothing')
    .examples('tessera backup verify /backup/tessera')
    .runs(async () => (await work()).verify);
}
