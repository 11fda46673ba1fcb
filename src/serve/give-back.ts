// Collects garbage when the process is idle and has more of it than usual. V8 collects when memory is allocated, so without
// this a process that a flood made large would stay large until the next one.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Share of time that the event loop may have been busy: a collection stops everything for about a tenth of a second. */
const IDLE = 0.2;
/** Idle checks in a row before a collection: it also drops compiled code, and the next requests would have to wait for that. */
const IDLE_LOOKS = 3;
/** How much garbage makes a collection worthwhile. */
const GROWTH = 1.3;
const LEAST_BYTES = 16 * 2 ** 20;

export interface Memory {
  /** Bytes of objects and buffers, garbage included. */
  readonly size: () => number;
  /** Share of time that the event loop was busy since the last call. */
  readonly busy: () => number;
  /** Undefined without `--expose-gc`, which the launchers set. */
  readonly collect: (() => void) | undefined;
}

export class GiveBack {
  readonly #memory: Memory;
  /** The size without garbage, as far as known. */
  #least: number;
  #idleLooks = 0;

  constructor(memory: Memory = memoryOfProcess()) {
    this.#memory = memory;
    this.#least = memory.size();
  }

  /** Called every few seconds. */
  look(): void {
    const { size, busy, collect } = this.#memory;
    this.#idleLooks = busy() < IDLE ? this.#idleLooks + 1 : 0;
    const now = size();
    this.#least = Math.min(this.#least, now);
    if (!collect || this.#idleLooks < IDLE_LOOKS || now < this.#least * GROWTH + LEAST_BYTES) return;
    collect();
    this.#least = size();
  }
}

function memoryOfProcess(): Memory {
  let last = performance.eventLoopUtilization();
  return {
    size: () => {
      const { used_heap_size, external_memory } = getHeapStatistics();
      return used_heap_size + external_memory;
    },
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    // A regular collection keeps the pages of the heap for later; this one returns them.
    collect: globalThis.gc && (() => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })),
  };
}
