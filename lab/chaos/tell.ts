import { writeSync } from 'node:fs';

/** One line of JSON to standard output. Returns once it is written, even if the reader is slow: what a killed process kept for later is lost. */
export function tell(line: object): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
