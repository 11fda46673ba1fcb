// npm run bench: see options.ts for what it can be asked, docs/performance.md for what it found.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeCertificates } from './certificates.ts';
import { LOAD_KINDS, type LoadKind } from './contestant.ts';
import { Generator } from './generator/generator.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { CORES } from './pinned.ts';
import { profile } from './profile.ts';
import { type LaneResult, race } from './race.ts';
import { table } from './report/table.ts';
import { Stable } from './stable.ts';
import { SUITES, type Suite } from './suites.ts';

const options = read();
mkdirSync(options.out, { recursive: true });
const folder = mkdtempSync(join(resolve(options.out), 'run-'));
try {
  await run(options);
} finally {
  rmSync(folder, { recursive: true });
}

function read(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function run({ only, pace, many, quick }: Options): Promise<void> {
  const tls = writeCertificates(folder);
  const stable = new Stable({ folder, tls, connections: pace.connections, toRevoke: quick ? 40_000 : 150_000, many });
  const generator = new Generator(CORES.generator);
  const chosen = SUITES.filter(({ name }) => only.length === 0 || only.includes(name));
  try {
    if (isLoadKind(options.profile)) {
      console.log(await profile(options.profile, generator, { folder, out: options.out, tls, pace }));
      return;
    }
    for (const suite of chosen) console.log(table(suite, await runSuite(suite, stable, generator, options)));
  } finally {
    generator.stop();
    await stable.stopAll();
  }
}

async function runSuite(suite: Suite, stable: Stable, generator: Generator, { pace }: Options): Promise<LaneResult[]> {
  const lanes = [];
  for (const name of suite.lanes) lanes.push({ name, running: await stable.get(name) });
  return race(suite.name, suite.load, lanes, generator, pace);
}

function isLoadKind(text: string | undefined): text is LoadKind {
  return (LOAD_KINDS as readonly (string | undefined)[]).includes(text);
}
