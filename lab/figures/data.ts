// The folder `figures`: what commands measured, as data. Every measured figure of a page is made from it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../deploy/shell.ts';

export interface Circumstances {
  /** Absent: measured once, by a program that this commit had. */
  readonly command?: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly gigabytes: number;
    readonly kernel: string;
    readonly node: string;
  };
  /** Load average of the last minute before the command began: above 1, figures are too low. */
  readonly load: number;
}

/** Before the first measurement: later, it is the load of the measuring itself. */
const LOAD_BEFORE = Number(loadavg()[0]?.toFixed(2));

export function circumstances(command: string): Circumstances {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const machine = {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    gigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  const date = new Date().toISOString().slice(0, 10);
  return { command, date, commit: stdout.trim(), machine, load: LOAD_BEFORE };
}

export type Row = Readonly<Record<string, string | number>>;

export interface Rows extends Circumstances {
  readonly rows: readonly Row[];
}

/** Load average per core, above which times are of no use. */
const BUSY = 0.5;
/** Sizes and promises do not depend on it. */
const UNAFFECTED = ['reliability', 'mutants'];

/** `isShort`: too short to be published. Such runs, and times of a busy machine, go to `out/figures`. */
export function writeFigures(name: string, data: Circumstances, isShort = false): void {
  const isBusy = data.load / data.machine.cores > BUSY && !UNAFFECTED.includes(name);
  const isKept = !isShort && (!isBusy || process.env['FIGURES_ANYWAY'] === '1');
  const path = join(ROOT, isKept ? 'figures' : 'out/figures', `${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(data, undefined, 2)}\n`);
  const why = isShort ? 'a short run' : isBusy ? `load ${data.load}; FIGURES_ANYWAY=1 publishes it nevertheless` : '';
  console.log(`${path}${isKept ? '' : `: not published, ${why}`}`);
  if (!isKept) return;
  spawnSync(process.execPath, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', path]);
  spawnSync(process.execPath, [join(ROOT, 'lab/figures/pages.ts')], { cwd: ROOT, stdio: 'inherit' });
}

export function readFigures<T extends Circumstances = Rows>(name: string): T | undefined {
  const path = join(ROOT, 'figures', `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}
