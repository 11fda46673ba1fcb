// `--profile LOAD`: Tessera alone under one load, and where its time goes, by CPU profile.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { circumstances, type Rows, writeFigures } from '../figures/data.ts';
import type { LoadKind } from './contestant.ts';
import { tessera } from './contestants/tessera.ts';
import type { Workshop } from './facts.ts';
import type { Generator } from './generator/generator.ts';
import { type CpuProfile, costsOf, costTable } from './report/costs.ts';

const SECONDS = 8;

export async function profile(kind: LoadKind, generator: Generator, workshop: Workshop): Promise<void> {
  const { folder, tls, pace } = workshop;
  const about = circumstances(`npm run lab -- bench --profile ${kind}`);
  const out = resolve('out', `profile-${kind}`);
  rmSync(out, { recursive: true, force: true });
  const { connections } = pace;
  const running = await tessera({
    folder,
    certificates: folder,
    tls,
    filling: { known: 5 * connections + 100_000, others: 1000, deviceCodes: connections },
    nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${out}`, '--cpu-prof-interval=200'],
  }).start();
  const load = running.load(kind, connections);
  if (!load) throw new Error(`Tessera knows no ${kind}`);
  await generator.prepare(kind, load);
  // Counted over the whole run, as the profile is.
  const { requests } = await generator.run(kind, SECONDS, 0);
  await running.stop();
  const costs = readdirSync(out).flatMap((file) => costsOf(readProfile(join(out, file)), requests));
  if (kind === 'refresh') {
    const rows = costs.filter(({ on, each }) => !['waiting', 'starting'].includes(on) && each >= 0.05);
    const each = rows.map((cost) => ({ ...cost, each: Number(cost.each.toFixed(1)) }));
    writeFigures('bench/profile', { ...about, rows: each } as Rows);
  }
  console.log(`${costTable(costs)}\nFor Chrome's developer tools or speedscope: ${out}`);
}

function readProfile(path: string): CpuProfile {
  return JSON.parse(readFileSync(path, 'utf8'));
}
