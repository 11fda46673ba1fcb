// A synchronous standby by streaming replication, made with the server alone.
import { execFileSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from './postgres-server.ts';

export const REPLICATING = ['wal_keep_size = 256MB', 'hot_standby = on', 'max_wal_senders = 5'];

/** Makes a server, which must not be running, the standby of another, and waits until that one waits for it. */
export async function makeStandby(standby: PostgresServer, primary: PostgresServer): Promise<void> {
  const label = await copyData(primary, standby);
  const own = (name: string, text: string) => {
    writeFileSync(join(standby.data, name), text);
    if (process.getuid?.() === 0) chownSync(join(standby.data, name), 65534, 65534);
  };
  own('backup_label', label);
  own('standby.signal', '');
  rmSync(join(standby.data, 'postmaster.pid'), { force: true });
  standby.configure([...REPLICATING, `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'`]);
  await standby.launch();
  await waitForStandby(primary);
}

/** From now on a commit is acknowledged when it is on the standby's disk too. */
async function waitForStandby(primary: PostgresServer): Promise<void> {
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query('SELECT pg_reload_conf()');
  for (;;) {
    const [row] = await primary.query(
      "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')",
    );
    if (Number(row?.['count']) > 0) return;
    await pause(50);
  }
}

/** From now on commits are acknowledged without the standby. */
export async function stopWaiting(primary: PostgresServer): Promise<void> {
  await primary.query('ALTER SYSTEM RESET synchronous_standby_names');
  await primary.query('SELECT pg_reload_conf()');
  while ((await primary.query('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'] !== '')
    await pause(10);
}

export async function promote(standby: PostgresServer): Promise<void> {
  await standby.query('SELECT pg_promote(true, 30)');
}

/** A backup by hand: the data folder copied between start and stop of a backup. Returns the label it must have. */
async function copyData(from: PostgresServer, to: PostgresServer): Promise<string> {
  const client = new pg.Client({ connectionString: from.url() });
  await client.connect();
  await client.query("SELECT pg_backup_start('a standby', true)");
  rmSync(to.data, { recursive: true });
  try {
    execFileSync('cp', ['-a', from.data, to.data], { stdio: 'ignore' });
  } catch {
    // files that vanish during the copy do not matter: WAL replay restores the state
  }
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  return rows[0]?.labelfile ?? '';
}
