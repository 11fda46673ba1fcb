// Disk and clock faults on demand: faults.c, compiled for the drill and preloaded into the service's process.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = new URL('faults.c', import.meta.url).pathname;
const MODES = ['fine', 'sync-fails', 'disk-full', 'sync-says-full', 'no-new-space'] as const;
export type Fault = (typeof MODES)[number];

/** Undefined without a C compiler. */
export class Faults {
  readonly environment: NodeJS.ProcessEnv;
  readonly #file: number;

  /** `name`: part of the names of the files on the failing disk. */
  static make(folder: string, name = '.db'): Faults | undefined {
    const library = join(folder, 'faults.so');
    const made = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
    if (made.error) return undefined;
    if (made.status !== 0) throw new Error(`faults.c cannot be compiled: ${made.stderr}`);
    return new Faults(folder, library, name);
  }

  private constructor(folder: string, library: string, name: string) {
    const path = join(folder, 'faults');
    this.#file = openSync(path, 'w+', 0o600);
    this.environment = {
      LD_PRELOAD: library,
      TESSERA_FAULTS: path,
      TESSERA_FAULTY: folder,
      TESSERA_FAULTY_NAME: name,
    };
    this.set('fine');
    this.aheadBy(0);
  }

  set(fault: Fault): void {
    this.#write(0, MODES.indexOf(fault));
  }

  /** The clock, in seconds. */
  aheadBy(seconds: number): void {
    this.#write(8, seconds);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(at: number, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    writeSync(this.#file, bytes, 0, 8, at);
  }
}
