// `--profile LOAD`: Tessera alone under one load, and where its time goes, by CPU profile.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadKind } from './contestant.ts';
import { tessera } from './contestants/tessera.ts';
import type { ClientTls, Generator } from './generator/generator.ts';
import type { Pace } from './race.ts';
import { type CpuProfile, costsOf, costTable } from './report/costs.ts';

export interface ProfileOptions {
  readonly folder: string;
  readonly out: string;
  readonly tls: ClientTls;
  readonly pace: Pace;
}

const SECONDS = 8;

export async function profile(kind: LoadKind, generator: Generator, options: ProfileOptions): Promise<string> {
  const { folder, tls, pace } = options;
  const out = resolve(options.out, `profile-${kind}-${Date.now()}`);
  const { connections } = pace;
  const running = await tessera({
    name: 'Tessera, SQLite',
    folder,
    certificates: folder,
    tls,
    filling: { known: 4 * connections + 100_000, others: 1000, deviceCodes: connections },
    nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${out}`, '--cpu-prof-interval=200'],
  }).start();
  const load = running.load(kind, connections);
  if (!load) throw new Error(`Tessera knows no ${kind}`);
  await generator.prepare(kind, load);
  // Counted over the whole run, as the profile is.
  const { requests } = await generator.run(kind, SECONDS, 0);
  await running.stop();
  const costs = readdirSync(out).flatMap((file) => costsOf(readProfile(join(out, file)), requests));
  return `${costTable(costs)}\nProfiles: ${out}\n`;
}

function readProfile(path: string): CpuProfile {
  return JSON.parse(readFileSync(path, 'utf8'));
}
