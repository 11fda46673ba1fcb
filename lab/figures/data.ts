// The folder `figures`: what commands measured, as data. Every measured figure of a page is made from it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../deploy/shell.ts';

export interface Circumstances {
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly gigabytes: number;
    readonly kernel: string;
    readonly node: string;
  };
  /** Load average of the last minute when it began: above 1, figures are too low. */
  readonly load: number;
}

export function circumstances(command: string): Circumstances {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const machine = {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    gigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  const load = Number(loadavg()[0]?.toFixed(2));
  return { command, date: new Date().toISOString().slice(0, 10), commit: stdout.trim(), machine, load };
}

/** `out`: the folder for runs that are too short to be published. */
export function writeFigures(name: string, data: Circumstances, folder = join(ROOT, 'figures')): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify(data, undefined, 2)}\n`);
  spawnSync(process.execPath, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', path]);
  console.log(`written: ${path}`);
}

export function readFigures<T extends Circumstances>(name: string): T | undefined {
  const path = join(ROOT, 'figures', `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}
