import { readFileSync, statSync } from 'node:fs';
import { endsWithin } from './within.ts';

/** How long a stop waits for a call that is under way. */
const PATIENCE_MS = 500;

/**
 * Calls again and again, never twice at once; a fault is told and does not stop it. Returns how to stop: that waits for a
 * call that is under way. One that goes on too long finds the store closed, which is no fault then.
 */
export function every(
  milliseconds: number,
  what: () => Promise<unknown>,
  tellFault: (fault: unknown) => void,
  { atOnce = false } = {},
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStopped = false;
  const begin = () => {
    running ??= what()
      .catch((fault: unknown) => isStopped || tellFault(fault))
      .then(() => {
        running = undefined;
      });
  };
  const timer = setInterval(begin, milliseconds);
  timer.unref();
  if (atOnce) begin();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    if (running) await endsWithin(PATIENCE_MS, running);
  };
}

/** Reads files, and again whenever one of them has changed since. */
export class WatchedFiles {
  readonly #paths: readonly string[];
  #seen = '';

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** The contents in the order of the paths, or undefined where nothing has changed since the last call. */
  readIfChanged(): Buffer[] | undefined {
    const seen = this.#paths.map(markOf).join('\n');
    if (seen === this.#seen) return undefined;
    const contents = this.#paths.map((path) => readFileSync(path));
    this.#seen = seen;
    return contents;
  }
}

function markOf(path: string): string {
  const { mtimeMs, ctimeMs, size, ino, mode } = statSync(path);
  return `${mtimeMs} ${ctimeMs} ${size} ${ino} ${mode}`;
}
