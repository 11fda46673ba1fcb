import type { DestinationStream } from 'pino';

/** Standard output, written at the end of each turn of the event loop: the lines of a turn in one go, none of them later. */
export function standardOutput(): DestinationStream {
  let lines = '';
  const flush = () => {
    process.stdout.write(lines);
    lines = '';
  };
  // Whoever read the log has gone: the service goes on.
  process.stdout.on('error', () => undefined);
  process.once('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
