// Commands for a whole store: restore, move to PostgreSQL.
import type { CliCommand } from '../terminal/cli-command.ts';

const work = () => import('./work/store.ts');
const rollbackWork = () => import('./work/rollback.ts');

export function storeCommands(program: CliCommand): void {
  program
    .command('restore <file>')
    .description('replace the SQLite store with a copy or a continuous backup, while the service is stopped')
    .option(
      '--at <time>',
      'of a continuous backup: the state at this time, as in 2026-11-15T09:30:00Z; default: the newest',
    )
    .option(
      '--end-grants',
      'end every grant, device code and browser session of the copy: everyone must authorize again',
    )
    .examples(
      'tessera restore /backup/tessera-2026-11-15.db --end-grants',
      'tessera restore /backup/tessera --at 2026-11-15T09:30:00Z',
    )
    .runs(async () => (await work()).restoreFrom);

  program
    .command('migrate-store')
    .description('move everything to a PostgreSQL store; can be interrupted and run again')
    .requiredOption(
      '--to <address>',
      'postgres://… without the password: give that by PGPASSWORD or ?passwordFile=FILE',
    )
    .option('--from <address>', 'sqlite:PATH; default: the configured store')
    .examples('tessera migrate-store --to postgres://tessera@db.example.com/tessera')
    .runs(async () => (await work()).migrateStore);

  program
    .command('migrate-schema')
    .description('upgrade the schema of a PostgreSQL store, as the role that owns it')
    .requiredOption('--as <address>', 'postgres://… of that role, without the password')
    .choice('--layout <name>', 'also distribute the grants over the workers of a Citus coordinator', ['citus'])
    .examples('tessera migrate-schema --as postgres://tessera_owner@db.example.com/tessera')
    .runs(async () => (await work()).migrateSchema);

  rollbackCommands(program.command('store').description('a store that was put back to an older state'));
}

const COPY = 'also compare with a kept copy of the state before: sqlite:PATH, or postgres://… without the password';

function rollbackCommands(group: CliCommand): void {
  group
    .command('history')
    .description('show the epoch, whether nodes noticed that the store was put back, and what works again')
    .option('--copy <address>', COPY)
    .option('--json', 'as JSON')
    .examples('tessera store history', 'tessera store history --copy postgres://tessera_owner@db.example.com/before')
    .acts(async () => (await rollbackWork()).printHistory);

  group
    .command('accept-rollback')
    .description('the store was put back and this was dealt with: nodes are ready again, without a restart')
    .option('--end-again', 'first end and disable again what had ended and works again')
    .option('--leave', 'leave it as it is')
    .option('--copy <address>', COPY)
    .option('--json', 'as JSON')
    .examples('tessera store accept-rollback --end-again')
    .acts(async () => (await rollbackWork()).acceptPutBack);
}
