// What is done to a store as a whole: copied, put back, moved to PostgreSQL.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/schema.ts';
import type { Move } from '../../store/move.ts';
import type { Store } from '../../store/store.ts';
import { Secret } from '../../tokens/secret.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { examples } from '../terminal/options.ts';
import { counted, print, printTable, remark } from '../terminal/output.ts';
import { atWorkplace, configOf } from '../terminal/workplace.ts';
import { refusePassword } from './store-address.ts';

export function storeCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('copy the SQLite store to a file, while the service runs; keep the keyring elsewhere')
    .addHelpText('after', examples('tessera backup /backup/tessera-2026-11-15.db'))
    .action((file: string, _flags: unknown, command: Command) => backUpTo(resolve(file), command));

  program
    .command('restore <file>')
    .description('put a copy back in the place of the SQLite store, while the service is stopped')
    .option('--end-grants', 'end every grant, device code and browser session of the copy: everybody authorizes anew')
    .addHelpText('after', examples('tessera restore /backup/tessera-2026-11-15.db --end-grants'))
    .action((file: string, flags: { endGrants?: true }, command: Command) =>
      restoreFrom(resolve(file), flags, command),
    );

  program
    .command('migrate-store')
    .description('move everything to a PostgreSQL store; can be interrupted and run again')
    .requiredOption(
      '--to <address>',
      'postgres://… without the password: give that by PGPASSWORD or ?passwordFile=FILE',
    )
    .option('--from <address>', 'sqlite:PATH; the configured store where left out')
    .addHelpText('after', examples('tessera migrate-store --to postgres://tessera@db.example.com/tessera'))
    .action((flags: { to: string; from?: string }, command: Command) => migrateStore(flags, command));

  program
    .command('migrate-schema')
    .description('bring the schema of a PostgreSQL store forward, as the role that owns it')
    .requiredOption('--as <address>', 'postgres://… of that role, without the password')
    .addHelpText('after', examples('tessera migrate-schema --as postgres://tessera_owner@db.example.com/tessera'))
    .action((flags: { as: string }) => migrateSchema(flags));
}

async function backUpTo(file: string, command: Command): Promise<void> {
  const from = sqlitePath(await configOf(command));
  if (existsSync(file))
    throw new CommandFailure('refused', `${file} exists`, 'Choose another name; nothing is overwritten.');
  const { backUp } = await copies();
  await backUp(from, file, (part) => process.stderr.isTTY && process.stderr.write(`\r${Math.floor(part * 100)} %`));
  if (process.stderr.isTTY) remark('');
  print(`Copied ${from} to ${file} (mode 0600)`);
}

async function restoreFrom(file: string, { endGrants }: { endGrants?: true }, command: Command): Promise<void> {
  const to = sqlitePath(await configOf(command));
  const { restore, whyNoCopy } = await copies();
  const why = whyNoCopy(file);
  if (why) throw new CommandFailure('refused', `${file} is no copy of a store: ${why}`);
  const before = await restore(file, to).catch((error: Error) => {
    throw new CommandFailure('store', `${to} cannot be replaced: ${error.message}`, 'Stop the service first.');
  });
  print(`Restored ${to} from ${file}`);
  if (before) print(`What was there before is in ${before}`);
  await atWorkplace(command, async ({ store }) => {
    if (before) await carryFrom(before, store);
    if (endGrants) await endAll(store);
    else await warnOfLiving(store);
  });
}

/** The store before it may be damaged: that may be why a copy is put back. */
async function carryFrom(before: string, store: Store): Promise<void> {
  const { carryRevocations } = await import('../../operations/admin/after-restore.ts');
  const { openStore } = await import('../../open-store.ts');
  try {
    const former = await openStore({ store: { kind: 'sqlite', path: before } }, 'command');
    try {
      print(`Carried over ${counted(await carryRevocations(former, store), 'revocation')} from it`);
    } finally {
      await former.close();
    }
  } catch (error) {
    remark(`Its revocations could not be carried over: ${(error as Error).message}`);
  }
}

async function endAll(store: Store): Promise<void> {
  const { endEverything } = await import('../../operations/admin/after-restore.ts');
  const { grants, deviceCodes, sessions } = await endEverything(store);
  const ended = [counted(grants, 'grant'), counted(deviceCodes, 'device code'), counted(sessions, 'browser session')];
  print(`Ended ${ended.join(', ')}`);
}

async function warnOfLiving(store: Store): Promise<void> {
  const { countLiveGrants } = await import('../../operations/admin/after-restore.ts');
  const living = await countLiveGrants(store);
  if (living === 0) return;
  remark(`Alive, as when the copy was taken: ${counted(living, 'grant')}.`);
  remark('  What ended since then, and is not carried over, works again. To end all of it: --end-grants');
}

async function migrateStore({ from, to }: { from?: string; to: string }, command: Command): Promise<void> {
  refusePassword(to);
  const config = await configOf(command);
  const path = from ? sqliteAddress(from) : sqlitePath(config);
  if (!existsSync(path)) throw new CommandFailure('store', `there is no store at ${path}`, 'Check --from or --config.');
  const { openForMove } = await import('../../open-store.ts');
  const { moveStore } = await import('../../store/move.ts');
  const { source, target } = await openForMove(path, to);
  try {
    const move = await moveStore(source, target, ({ what, rows, written }) =>
      remark(`${what}: ${rows} seen, ${written} written`),
    );
    printMove(move);
  } finally {
    await Promise.all([source.backEnd.close(), target.close()]);
  }
}

function printMove({ moved, isComplete }: Move): void {
  printTable(
    ['what', 'rows', 'written'],
    moved.map(({ what, rows, written }) => [what, rows, written]),
  );
  const [says, ...next] = isComplete ? COMPLETE : INCOMPLETE;
  print(`\n${says}\n\nNext:`);
  for (const [index, step] of next.entries()) print(`  ${index + 1}. ${step}`);
}

const COMPLETE = [
  'Moved, and proved by counts and checksums. The old store is unchanged.',
  'Set store: in the configuration of every node to this address, with the role that nodes use. The keyring stays the same.',
  'Check it:  tessera doctor',
  'Start:     tessera serve',
  'Do not start a service on the old store again: what it changes would be missing here.',
] as const;

const INCOMPLETE = [
  'Copied, but not complete: another process has the old store open and may change it.',
  'Stop the service.',
  'Run the same command once more. It writes only what has changed, and proves that both stores are equal.',
] as const;

async function copies() {
  const { sqliteCopies } = await import('../../open-store.ts');
  return sqliteCopies();
}

async function migrateSchema({ as }: { as: string }): Promise<void> {
  refusePassword(as);
  const { migratePostgresSchema } = await import('../../open-store.ts');
  const { before, now } = await migratePostgresSchema(new Secret(as));
  print(before === now ? `The database has schema ${now}: nothing to do` : `The database has schema ${now} now`);
}

function sqlitePath({ store }: Config): string {
  if (store.kind === 'sqlite') return store.path;
  throw new CommandFailure(
    'configuration',
    'the store is PostgreSQL',
    'Use pg_dump and pg_restore: docs/postgresql.md.',
  );
}

function sqliteAddress(address: string): string {
  if (address.startsWith('sqlite:')) return resolve(address.slice('sqlite:'.length));
  throw new CommandFailure('usage', 'only SQLite stores are moved', 'Write --from sqlite:PATH.');
}
