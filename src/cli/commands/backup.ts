// Copies of a SQLite store: one, or a continuous backup.
import type { Command } from 'commander';
import { asDuration, atLeast, examples } from '../terminal/options.ts';
import type { FollowFlags } from './work/backup.ts';

const work = () => import('./work/backup.ts');

export function backupCommands(program: Command): void {
  const group = program
    .command('backup [file]')
    .description('copy the SQLite store to a file, while the service runs; keep the keyring elsewhere')
    .addHelpText('after', examples('tessera backup /backup/tessera-2026-11-15.db'))
    .action(async (file: string | undefined, _: unknown, command: Command) => (await work()).backUpTo(file, command));

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
    .addHelpText('after', examples('tessera backup follow /backup/tessera --keep 30d'))
    .action(async (folder: string, flags: FollowFlags, command: Command) =>
      (await work()).follow(folder, flags, command),
    );

  group
    .command('verify <backup>')
    .description('check a copy, or rebuild each series of a continuous backup and check it; changes nothing')
    .addHelpText('after', examples('tessera backup verify /backup/tessera'))
    .action(async (path: string, _: unknown, command: Command) =>
      (await work()).verify(path, command.optsWithGlobals()),
    );
}
