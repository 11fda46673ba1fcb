// A whole store: copy it, restore it, move it to PostgreSQL.
import { command, group } from '../terminal/command.ts';
import { AS_JSON, argument, duration, flag, needed, optionalArgument, text, usually } from '../terminal/options.ts';
import { besideStore } from './administration.ts';

const COPY = {
  copy: text(
    '<address>',
    'also compare with a kept copy of the state before: sqlite:PATH, or postgres://… without the password',
  ),
};

const backup = () => import('./work/backup.ts');
const work = () => import('./work/store.ts');
const rollback = () => import('./work/rollback.ts');

export const commands = {
  backup: command({
    about: 'copy the SQLite store to a file, while the service runs; keep the keyring elsewhere',
    arguments: { file: optionalArgument('') },
    examples: ['tessera backup /backup/tessera-2026-11-15.db'],
    run: async (given, to) => (await backup()).backUpTo(given, to),
    commands: {
      follow: command({
        about: 'keep a continuous backup of the SQLite store in a folder, until a signal stops it',
        arguments: { folder: argument('') },
        options: {
          command: text(
            '<command>',
            'run for each complete file; $TESSERA_BACKUP_FILE and $TESSERA_BACKUP_NAME name it',
          ),
          keep: usually('14d', duration('keep the backup for this long')),
          series: usually('1d', duration('begin with a new copy of the whole store this often, at least a minute', 60)),
          segment: usually('10s', duration('how often a file is complete, for --command', 1)),
        },
        examples: ['tessera backup follow /backup/tessera --keep 30d'],
        run: async (given, to) => (await backup()).follow(given, to),
      }),
      verify: command({
        about: 'check a copy, or rebuild each series of a continuous backup and check it; changes nothing',
        arguments: { backup: argument('') },
        options: { json: flag('the result as JSON') },
        examples: ['tessera backup verify /backup/tessera'],
        run: async (given) => (await backup()).verify(given),
      }),
    },
  }),
  restore: command({
    about: 'replace the SQLite store with a copy or a continuous backup, while the service is stopped',
    arguments: { file: argument('') },
    options: {
      at: text(
        '<time>',
        'of a continuous backup: the state at this time, as in 2026-11-15T09:30:00Z; default: the newest',
      ),
      endGrants: flag('end every grant, device code and browser session of the copy: everyone must authorize again'),
    },
    examples: [
      'tessera restore /backup/tessera-2026-11-15.db --end-grants',
      'tessera restore /backup/tessera --at 2026-11-15T09:30:00Z',
    ],
    run: async (given, to) => (await work()).restoreFrom(given, to),
  }),
  'migrate-store': command({
    about: 'move everything to a PostgreSQL store; can be interrupted and run again',
    options: {
      to: needed(text('<address>', 'postgres://… without the password: give that by PGPASSWORD or ?passwordFile=FILE')),
      from: text('<address>', 'sqlite:PATH; default: the configured store'),
      json: flag('the result as JSON'),
    },
    examples: ['tessera migrate-store --to postgres://tessera@db.example.com/tessera'],
    run: async (given, to) => (await work()).migrateStore(given, to),
  }),
  'migrate-schema': command({
    about: 'upgrade the schema of a PostgreSQL store, as the role that owns it',
    options: {
      as: needed(text('<address>', 'postgres://… of that role, without the password')),
    },
    examples: ['tessera migrate-schema --as postgres://tessera_owner@db.example.com/tessera'],
    run: async (given) => (await work()).migrateSchema(given),
  }),
  store: group('a store that was put back to an older state', {
    history: besideStore({
      about: 'show the epoch, whether nodes noticed that the store was put back, and what works again',
      options: { ...COPY, ...AS_JSON },
      examples: [
        'tessera store history',
        'tessera store history --copy postgres://tessera_owner@db.example.com/before',
      ],
      run: async (given, place) => (await rollback()).printHistory(given, place),
    }),
    'accept-rollback': besideStore({
      about: 'the store was put back and this was dealt with: nodes are ready again, without a restart',
      options: {
        endAgain: flag('first end and disable again what had ended and works again'),
        leave: flag('leave it as it is'),
        ...COPY,
        ...AS_JSON,
      },
      examples: ['tessera store accept-rollback --end-again'],
      run: async (given, place) => (await rollback()).acceptPutBack(given, place),
    }),
  }),
};
