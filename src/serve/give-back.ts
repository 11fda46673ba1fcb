// Returns memory to the system when the process is idle and larger than usual. V8 collects garbage when memory is allocated, so
// without this a process that a flood made large would stay large until the next one.
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { returnFreePages } from './free-pages.ts';

/** Share of time that the event loop may have been busy: returning memory stops everything for about a tenth of a second. */
const IDLE = 0.2;
/** How much the process must have grown. */
const GROWTH = 1.3;
const LEAST_BYTES = 16 * 2 ** 20;
/** Idle checks in a row before memory is returned: that also drops compiled code, and later requests would have to wait for it. */
const IDLE_LOOKS = 3;

/** Idle checks between two tries at most, if they do not help: each stops everything for about a tenth of a second. */
const MOST_PATIENCE = 720;

export interface Memory {
  /** Bytes of physical memory. */
  readonly size: () => number;
  /** Share of time that the event loop was busy since the last call. */
  readonly busy: () => number;
  readonly giveBack: () => void;
}

export class GiveBack {
  readonly #memory: Memory;
  #smallest: number;
  /** What was left when memory was last returned. */
  #left: number;
  #idleLooks = 0;
  /** Idle checks since then, and how many before the next try if the process has not grown: what was in use then may be free. */
  #waited = 0;
  #patience = IDLE_LOOKS;

  constructor(memory: Memory = memoryOfProcess()) {
    this.#memory = memory;
    this.#smallest = memory.size();
    this.#left = this.#smallest;
  }

  /** Called every few seconds. */
  look(): void {
    const { size, busy, giveBack } = this.#memory;
    this.#idleLooks = busy() < IDLE ? this.#idleLooks + 1 : 0;
    const now = size();
    this.#smallest = Math.min(this.#smallest, now);
    this.#left = Math.min(this.#left, now);
    if (this.#idleLooks < IDLE_LOOKS || !isMuchMore(now, this.#smallest)) return;
    const hasGrown = isMuchMore(now, this.#left);
    this.#waited += 1;
    if (!hasGrown && this.#waited < this.#patience) return;
    giveBack();
    this.#left = size();
    this.#waited = 0;
    this.#patience = hasGrown ? IDLE_LOOKS : Math.min(this.#patience * 2, MOST_PATIENCE);
  }
}

function isMuchMore(size: number, than: number): boolean {
  return size >= than * GROWTH + LEAST_BYTES;
}

function memoryOfProcess(): Memory {
  let last = performance.eventLoopUtilization();
  return {
    size: () => process.memoryUsage.rss(),
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    giveBack: returnMemory,
  };
}

let gc: NodeJS.GCFunction | undefined;

/** Collects garbage, and returns what that freed. */
export function returnMemory(): void {
  gc ??= collector();
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  returnFreePages();
}

/**
 * V8 shows its collector to contexts that are made while this flag is set. As a flag of the process it would make every start
 * slower: Node's own modules are compiled for the default flags.
 */
function collector(): NodeJS.GCFunction | undefined {
  setFlagsFromString('--expose-gc');
  const found: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return found;
}
