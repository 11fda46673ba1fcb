// npm run bench: options.ts lists the options, docs/performance.md the results.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { against, ON_POSTGRES } from './against.ts';
import { bench } from './bench.ts';
import { writeCertificates } from './certificates.ts';
import { LOAD_KINDS, type LoadKind } from './contestant.ts';
import { Generator } from './generator/generator.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { CORES } from './pinned.ts';
import { profile } from './profile.ts';

const options = read();
if (options.inProcess && options.against !== undefined) process.exit(runInProcess(options.against, options.inProcess));
mkdirSync(options.out, { recursive: true });
const folder = temporaryFolder('run', resolve(options.out));
const generator = new Generator(CORES.generator);
try {
  const workshop = { folder, tls: writeCertificates(folder), pace: options.pace };
  if (options.against !== undefined) await against(options.against, options, generator, workshop);
  else if (options.profile === undefined) await bench(options, generator, workshop);
  else await profile(loadKind(options.profile), generator, options.out, workshop);
} finally {
  generator.stop();
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

/** The log of the services is discarded. */
function runInProcess(against: string, { turns }: NonNullable<Options['inProcess']>): number {
  const wanted = options.only.length > 0 ? options.only : ['refresh'];
  if (wanted.includes('certificate-fresh')) throw new Error('--in-process keeps its connections open');
  const [onPostgres, onSqlite] = [wanted.includes(ON_POSTGRES), wanted.filter((name) => name !== ON_POSTGRES)];
  const folders = [...against.split(','), '.'];
  const run = (store: string, loads: readonly LoadKind[]) => {
    const args = [fileURLToPath(new URL('in-process.ts', import.meta.url)), String(turns), store, loads.join()];
    return spawnSync(process.execPath, [...args, ...folders], { stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;
  };
  const first = onSqlite.length > 0 ? run('sqlite', onSqlite.map(loadKind)) : 0;
  return first || (onPostgres ? run('postgres', ['refresh']) : 0);
}

function loadKind(text: string): LoadKind {
  const kind = LOAD_KINDS.find((known) => known === text);
  if (!kind) throw new Error(`no such load: ${text}. There are: ${LOAD_KINDS.join(', ')}`);
  return kind;
}
