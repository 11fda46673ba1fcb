// A whole store: copy it, restore it, move it to PostgreSQL.
import { declares } from '../terminal/manual.ts';
import { atLeast } from '../terminal/options.ts';
import { besideStore } from './administration.ts';

const COPY = `
  --copy <address>            also compare with a kept copy of the state before: sqlite:PATH, or postgres://… without
      the password
`;

const TEXT = `
backup [file]                 copy the SQLite store to a file, while the service runs; keep the keyring elsewhere
  $ tessera backup /backup/tessera-2026-11-15.db
backup follow <folder>        keep a continuous backup of the SQLite store in a folder, until a signal stops it
  --command <command>         run for each complete file; $TESSERA_BACKUP_FILE and $TESSERA_BACKUP_NAME name it
  --keep <duration>           keep the backup for this long [= 14d]
  --series <duration>         begin with a new copy of the whole store this often, at least a minute [= 1d]
  --segment <duration>        how often a file is complete, for --command [= 10s]
  $ tessera backup follow /backup/tessera --keep 30d
backup verify <backup>        check a copy, or rebuild each series of a continuous backup and check it; changes nothing
  $ tessera backup verify /backup/tessera
restore <file>                replace the SQLite store with a copy or a continuous backup, while the service is stopped
  --at <time>                 of a continuous backup: the state at this time, as in 2026-11-15T09:30:00Z; default: the
      newest
  --end-grants                end every grant, device code and browser session of the copy: everyone must authorize
      again
  $ tessera restore /backup/tessera-2026-11-15.db --end-grants
  $ tessera restore /backup/tessera --at 2026-11-15T09:30:00Z
migrate-store                 move everything to a PostgreSQL store; can be interrupted and run again
  needs --to
  --to <address>              postgres://… without the password: give that by PGPASSWORD or ?passwordFile=FILE
  --from <address>            sqlite:PATH; default: the configured store
  $ tessera migrate-store --to postgres://tessera@db.example.com/tessera
migrate-schema                upgrade the schema of a PostgreSQL store, as the role that owns it
  needs --as
  --as <address>              postgres://… of that role, without the password
  --layout <name>             also distribute the grants over the workers of a Citus coordinator [citus]
  $ tessera migrate-schema --as postgres://tessera_owner@db.example.com/tessera
store                         a store that was put back to an older state
store history                 show the epoch, whether nodes noticed that the store was put back, and what works again
${COPY}
  --json                      as JSON
  $ tessera store history
  $ tessera store history --copy postgres://tessera_owner@db.example.com/before
store accept-rollback         the store was put back and this was dealt with: nodes are ready again, without a restart
  --end-again                 first end and disable again what had ended and works again
  --leave                     leave it as it is
${COPY}
  --json                      as JSON
  $ tessera store accept-rollback --end-again
`;

const backup = () => import('./work/backup.ts');
const work = () => import('./work/store.ts');
const rollback = () => import('./work/rollback.ts');

export const commands = declares(
  TEXT,
  {
    backup: async () => (await backup()).backUpTo,
    'backup follow': async () => (await backup()).follow,
    'backup verify': async () => (await backup()).verify,
    restore: async () => (await work()).restoreFrom,
    'migrate-store': async () => (await work()).migrateStore,
    'migrate-schema': async () => (await work()).migrateSchema,
    'store history': besideStore(async () => (await rollback()).printHistory),
    'store accept-rollback': besideStore(async () => (await rollback()).acceptPutBack),
  },
  { '--series': atLeast(60), '--segment': atLeast(1) },
);
