/** Where log lines go. */
export interface Destination {
  write(line: string): void;
}

/** Standard output. The lines of one turn of the event loop are written together at its end. */
export function standardOutput(): Destination {
  let lines = '';
  const flush = () => {
    process.stdout.write(lines);
    lines = '';
  };
  // If the reader of the log is gone, or its disk is full, the service goes on. Other commands end then.
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  process.once('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
