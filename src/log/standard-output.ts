/** Where log lines go. */
export interface Destination {
  write(line: string): void;
}

/** Bytes that may wait for the reader of the log. Further lines are dropped: they would fill the memory. */
const MOST_WAITING = 8 * 2 ** 20;

/**
 * Standard output. The lines of one turn of the event loop are written together at its end. `notice`: the line that tells how many were
 * dropped, when the reader reads again.
 */
export function standardOutput(notice: (dropped: number) => string): Destination {
  let lines = '';
  let count = 0;
  let dropped = 0;
  const flush = () => {
    if (process.stdout.writableLength > MOST_WAITING) dropped += count;
    else {
      process.stdout.write(dropped > 0 ? notice(dropped) + lines : lines);
      dropped = 0;
    }
    lines = '';
    count = 0;
  };
  // If the reader of the log is gone, or its disk is full, the service goes on. Other commands end then.
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  process.once('exit', flush);
  return {
    write: (line) => {
      if (count === 0) setImmediate(flush);
      lines += line;
      count += 1;
    },
  };
}

/** A process with lines that nobody reads would never end by itself. */
export function endWithoutReader(afterMs: number): void {
  const end = () => process.stdout.writableLength > 0 && process.exit();
  setTimeout(end, afterMs).unref();
}
