// Measured once instead of in races: sizes, syncs, the generator itself, and the proof that the load was real.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { median } from '../quantiles.ts';
import { tessera } from './contestants/tessera.ts';
import { type ClientTls, Generator } from './generator/generator.ts';
import { CORES } from './pinned.ts';
import { bytesOfTables, probeSync } from './probe/disk.ts';
import { holds, prove } from './proof.ts';
import { type LaneResult, loadName, type Pace } from './race.ts';
import type { Stable } from './stable.ts';

export interface Fact {
  readonly what: string;
  readonly measured: string;
  readonly target?: string;
  readonly met?: boolean;
}

export function syncFact(folder: string, when: string): Fact {
  const { medianMs, p99Ms } = probeSync(folder);
  return { what: `one fdatasync, ${when}`, measured: `${medianMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms` };
}

/** Two generators against one echo: if one generator were the bottleneck, two would reach a higher rate. */
export async function generatorFact(stable: Stable, generator: Generator, pace: Pace): Promise<Fact> {
  const running = await stable.get('fastify echo');
  const second = new Generator(CORES.generator);
  const rate = async (driving: readonly Generator[]) => {
    const load = running.load('refresh', pace.connections / driving.length);
    if (!load) throw new Error('an echo answers everything');
    const name = `echo, ${driving.length} generators`;
    for (const each of driving) await each.prepare(name, load);
    const slices = await Promise.all(driving.map((each) => each.run(name, pace.seconds, pace.warmUpSeconds)));
    return slices.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0);
  };
  const both = [generator, second];
  const [one, two, twoAgain, oneAgain] = [
    await rate([generator]),
    await rate(both),
    await rate(both),
    await rate([generator]),
  ];
  second.stop();
  const [single, twice] = [median([one, oneAgain]), median([two, twoAgain])];
  return {
    what: 'two generators against one, same echo',
    measured: `${Math.round(twice)} against ${Math.round(single)} requests/s: ${(twice / single).toFixed(2)}`,
    target: '≤ 1.1',
    met: twice / single <= 1.1,
  };
}

export async function proofFacts(stable: Stable, generator: Generator): Promise<Fact[]> {
  const { config } = await stable.tessera();
  const proof = await prove(config, await generator.report(loadName('Tessera, SQLite', 'refresh')));
  const { chains, acknowledged, stored, working, spentShown, spentRefused } = proof;
  return [
    {
      what: 'the load was real',
      measured:
        `${acknowledged} refreshes acknowledged, ${stored} generations stored; ${working} of ${chains} last pairs work; ` +
        `${spentRefused} of ${spentShown} spent tokens refused`,
      target: 'all',
      met: holds(proof),
    },
  ];
}

export interface Workshop {
  readonly folder: string;
  readonly tls: ClientTls;
  readonly pace: Pace;
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
  const syncs = [...readFileSync(counts, 'utf8').matchAll(/^\s*\S+\s+\S+\s+\S+\s+(\d+).*\bf(?:data)?sync$/gm)];
  return atMost(what, syncs.reduce((sum, [, calls]) => sum + Number(calls), 0) / refreshes, 0.25, '', 3);
}

/** Bytes on disk per grant, all indexes counted, the event log not. */
export function diskFact(path: string, when: string): Fact {
  const database = new DatabaseSync(path, { readOnly: true });
  const { grants } = database.prepare('SELECT count(*) AS grants FROM grants').get() as { grants: number };
  database.close();
  return atMost(`disk per grant, ${when}`, bytesOfTables(path, 'grants') / grants, 350, 'bytes');
}

export function atMost(what: string, value: number, limit: number, unit: string, digits = 0): Fact {
  const words = (number: number) => `${number.toFixed(digits)} ${unit}`.trim();
  return { what, measured: words(value), target: `≤ ${unit === '' ? limit : words(limit)}`, met: value <= limit };
}

/** Megabytes under load, from the slices of a race. */
export function memoryFact(what: string, { slices }: LaneResult, limit: number): Fact {
  return atMost(what, Math.max(...slices.map(({ memory }) => memory)), limit, 'MB');
}
