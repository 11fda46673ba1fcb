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
  // If the reader of the log is gone, the service goes on.
  process.stdout.on('error', () => undefined);
  process.once('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
