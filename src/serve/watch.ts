import { readFileSync, statSync } from 'node:fs';

/** How long a stop waits for a running call. */
const PATIENCE_MS = 500;

/** Never twice at once; errors are reported and do not stop it. Returns a stop function, which waits for a running call and ignores its errors. */
export function every(
  milliseconds: number,
  what: () => Promise<unknown>,
  logFault: (fault: unknown) => void,
  { atOnce = false } = {},
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStopped = false;
  const begin = () => {
    running ??= what()
      .catch((fault: unknown) => isStopped || logFault(fault))
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

export class WatchedFiles {
  readonly #paths: readonly string[];
  #seen = '';

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** The contents in the order of the paths, or undefined where nothing has changed since the last call. */
  readIfChanged(): Buffer[] | undefined {
    const seen = this.#look();
    if (seen === this.#seen) return undefined;
    const contents = this.#paths.map(readNamed);
    this.#seen = seen;
    return contents;
  }

  /** For callers that read the files themselves. */
  hasChanged(): boolean {
    const seen = this.#look();
    const hasChanged = seen !== this.#seen;
    this.#seen = seen;
    return hasChanged;
  }

  /** Reports a change again on the next check, after a failed read. */
  forget(): void {
    this.#seen = '';
  }

  #look(): string {
    return this.#paths.map(markOf).join('\n');
  }
}

function markOf(path: string): string {
  const { mtimeMs, ctimeMs, size, ino, mode } = statSync(path);
  return `${mtimeMs} ${ctimeMs} ${size} ${ino} ${mode}`;
}

/** Node's error for a folder lacks the path. */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (fault) {
    throw Object.assign(fault as Error, { path });
  }
}

/** Waits for work to end, with a time limit; returns whether it did. Keeps the process alive meanwhile. */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  /** Also at the start: before the first request is answered (awaited), or at the same time (begun). */
  readonly atStart?: 'awaited' | 'begun';
}

/** Resolves to a stop function once the awaited work is done. */
export async function startChores(
  chores: readonly Chore[],
  logFault: (fault: unknown, chore: string) => void,
): Promise<() => Promise<void>> {
  for (const { work, atStart } of chores) if (atStart === 'awaited') await work();
  const begin = ({ name, everyMs, work, atStart }: Chore) =>
    every(everyMs, work, (fault) => logFault(fault, name), { atOnce: atStart === 'begun' });
  const stops = chores.map(begin);
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
