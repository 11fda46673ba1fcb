// Collects garbage when the process is idle and has more of it than usual. V8 collects when memory is allocated, so without
// this a process that a flood made large would stay large until the next one.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Share of time that the event loop may have been busy: a collection stops everything for about a tenth of a second. */
const IDLE = 0.2;
/** A flood leaves at least this much garbage. It is collected before the next flood: memory allocated meanwhile is hard to return. */
const FLOOD_BYTES = 64 * 2 ** 20;
/** How much the process must have grown before memory is returned to the system. */
const GROWTH = 1.3;
const LEAST_BYTES = 16 * 2 ** 20;
/** Idle checks in a row before memory is returned: that also drops compiled code, and later requests would have to wait for it. */
const IDLE_LOOKS = 3;

export type Collection = 'collect' | 'return';

export interface Memory {
  /** Bytes of objects and buffers, garbage included. */
  readonly size: () => number;
  /** Share of time that the event loop was busy since the last call. */
  readonly busy: () => number;
  readonly collect: (how: Collection) => void;
}

export class GiveBack {
  readonly #memory: Memory;
  /** The size without garbage, as far as known. */
  #least: number;
  /** The largest size since memory was last returned. */
  #most = 0;
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
    this.#most = Math.max(this.#most, now);
    if (this.#idleLooks === 0) return;
    if (this.#idleLooks >= IDLE_LOOKS && this.#most >= this.#least * GROWTH + LEAST_BYTES) {
      collect('return');
      this.#least = size();
      this.#most = this.#least;
    } else if (this.#idleLooks === 1 && now >= this.#least + FLOOD_BYTES) collect('collect');
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
    collect: collectGarbage,
  };
}

let gc: NodeJS.GCFunction | undefined;

export function collectGarbage(how: Collection): void {
  gc ??= collector();
  gc?.({ type: 'major', execution: 'sync', ...(how === 'return' && { flavor: 'last-resort' }) });
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
