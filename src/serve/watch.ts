import { readFileSync, statSync } from 'node:fs';

/** Calls again and again, never twice at once; a fault is told and does not stop it. */
export function every(
  milliseconds: number,
  what: () => Promise<unknown>,
  tellFault: (fault: unknown) => void,
): () => void {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    what()
      .catch(tellFault)
      .finally(() => {
        running = false;
      });
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
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
    const seen = this.#look();
    if (seen === this.#seen) return undefined;
    const contents = this.#paths.map((path) => readFileSync(path));
    this.#seen = seen;
    return contents;
  }

  /** The same for whoever reads them otherwise. */
  hasChanged(): boolean {
    const seen = this.#look();
    const hasChanged = seen !== this.#seen;
    this.#seen = seen;
    return hasChanged;
  }

  /** Whoever could not read them will be told again that they have changed. */
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
