// Measured once instead of in races: syncs, sizes, and the proof that the load was real.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tessera } from './contestants/tessera.ts';
import type { ClientTls, Generator } from './generator/generator.ts';
import { isProved, prove, storedRotations } from './proof.ts';
import { loadName, type Pace } from './race.ts';
import { MANY, OURS, type Stable } from './stable.ts';

export interface Fact {
  readonly what: string;
  readonly measured: string;
}

export interface Workshop {
  readonly folder: string;
  readonly tls: ClientTls;
  readonly pace: Pace;
}

export async function proofOfLoad(stable: Stable, generator: Generator): Promise<string> {
  const ours = await stable.tessera(OURS);
  const chains = await generator.report(loadName(OURS, 'refresh'));
  const stored = await storedRotations(ours.config, chains);
  const refreshing = ours.load('refresh', 1);
  if (!refreshing) throw new Error('there is nothing to refresh');
  const proof = await prove(refreshing, chains, 'opaque');
  const isReal = isProved(proof) && stored === proof.refreshes;
  const { refreshes, chains: count, lastWorks, spentShown, spentRefused } = proof;
  return (
    `the load was ${isReal ? '' : 'NOT '}real: ${refreshes} refreshes acknowledged, ${stored} stored; ` +
    `${lastWorks} of ${count} last pairs work; ${spentRefused} of ${spentShown} spent tokens refused`
  );
}

/** strace counts system calls on a separate server. It slows the server down, so this run gives no other figures. */
export async function syncsPerRefresh(generator: Generator, { folder, tls, pace }: Workshop): Promise<Fact> {
  const what = `fsyncs per refresh, ${pace.connections} connections`;
  if (spawnSync('strace', ['-V']).status !== 0) return { what, measured: 'not counted: there is no strace here' };
  const place = join(folder, 'strace');
  mkdirSync(place);
  const counts = join(place, 'counts');
  const under = ['strace', '-f', '-c', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync', '-o', counts];
  const filling = { known: 5 * pace.connections, others: 1000 };
  const running = await tessera({ folder: place, certificates: folder, tls, filling, under }).start();
  const load = running.load('refresh', pace.connections);
  if (load) await generator.prepare('strace', load);
  await generator.run('strace', pace.seconds, pace.warmUpSeconds);
  const refreshes = (await generator.report('strace')).reduce((sum, { rotations }) => sum + rotations, 0);
  await running.stop();
  const lines = readFileSync(counts, 'utf8').matchAll(/^\s*\S+\s+\S+\s+\S+\s+(\d+).*\bf(?:data)?sync$/gm);
  const syncs = [...lines].reduce((sum, [, calls]) => sum + Number(calls), 0);
  return { what, measured: (syncs / refreshes).toFixed(3) };
}

/** Stops that server, so that everything is in the file. */
export async function diskFact(stable: Stable): Promise<Fact> {
  const { store } = (await stable.tessera(MANY)).config;
  await stable.stop(MANY);
  const database = new DatabaseSync(store.kind === 'sqlite' ? store.path : '', { readOnly: true });
  const tables = "SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'grants%'";
  const size = `(SELECT sum(pgsize) FROM dbstat WHERE name IN (${tables}))`;
  const { bytes } = database.prepare(`SELECT ${size} / count(*) AS bytes FROM grants`).get() as { bytes: number };
  database.close();
  return { what: 'disk per grant, all indexes, without the event log', measured: `${bytes.toFixed(0)} bytes` };
}
