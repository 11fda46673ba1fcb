// The benchmark: docs/performance.md has the results.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { lastRelease, releaseAt } from '../chaos/handover/release.ts';
import { bench } from './bench.ts';
import { writeCertificates } from './certificates.ts';
import { LOAD_KINDS, type LoadKind } from './contestant.ts';
import { Generator } from './generator/generator.ts';
import { type Options, readOptions } from './options.ts';
import { CORES } from './pinned.ts';
import { profile } from './profile.ts';

export async function runBench(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (!options) return 0;
  if (options.against !== undefined) return compare(options.against, options);
  mkdirSync('out', { recursive: true });
  const folder = temporaryFolder('bench', resolve('out'));
  const generator = new Generator(CORES.generator);
  try {
    const workshop = { folder, tls: writeCertificates(folder), pace: options.pace };
    if (options.profile === undefined) await bench(options, generator, workshop);
    else await profile(loadKind(options.profile), generator, workshop);
  } finally {
    generator.stop();
    rmSync(folder, { recursive: true });
  }
  return 0;
}

/** The log of the services is discarded. Both orders: the position alone makes some percent. */
function compare(against: string, { only, turns }: Options): number {
  const loads = (only.length > 0 ? only : ['refresh']).map(loadKind);
  if (loads.includes('certificate-fresh')) throw new Error('--against keeps its connections open');
  const others = against.split(',').map(checkoutOf);
  const folders = [...others.map(({ folder }) => folder), '.'];
  const inProcess = fileURLToPath(new URL('in-process.ts', import.meta.url));
  try {
    for (const store of ['sqlite', 'postgres'])
      for (const order of [folders, folders.toReversed()]) {
        const args = [inProcess, String(turns), store, loads.join(), ...order];
        const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
        if (status !== 0) return status ?? 1;
      }
  } finally {
    for (const { remove } of others) remove();
  }
  return 0;
}

/** A folder, a commit, or the last release. */
function checkoutOf(name: string): { readonly folder: string; readonly remove: () => void } {
  if (existsSync(name)) return { folder: name, remove: () => undefined };
  return releaseAt(name === 'release' ? lastRelease() : name);
}

function loadKind(text: string): LoadKind {
  const kind = LOAD_KINDS.find((known) => known === text);
  if (!kind) throw new Error(`no such load: ${text}. There are: ${LOAD_KINDS.join(', ')}`);
  return kind;
}
