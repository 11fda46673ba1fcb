import { readFileSync, readSync } from 'node:fs';

/** The text of a file; of standard input if none is named, or `-`. */
export function readInput(file?: string): string {
  return file === undefined || file === '-' ? readStandardInput() : readFileSync(file, 'utf8');
}

/** `readFileSync(0)` fails on a pipe without blocking that is still empty, as shells and CI runners leave behind. */
function readStandardInput(): string {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(64 * 1024);
  for (let length = -1; length !== 0; ) {
    length = readPart(part);
    if (length > 0) parts.push(Buffer.from(part.subarray(0, length)));
  }
  return Buffer.concat(parts).toString('utf8');
}

const NOTHING_YET = -1;

function readPart(part: Buffer): number {
  try {
    return readSync(0, part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return NOTHING_YET;
  }
}
