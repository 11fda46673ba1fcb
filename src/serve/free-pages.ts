// Returns memory that the C library keeps after it was freed. glibc returns only what lies at the end of its heap, and after a
// flood some small living block lies there nearly always: without this, three quarters of a flood's memory stay with the process.
import { functionsOfC } from '../doors/server/call-c.ts';

const MALLOC_TRIM = { malloc_trim: { arguments: ['u64'], return: 'i32' } };

let trim: (() => void) | undefined;

/** Takes tens of milliseconds after a flood. Does nothing where Node cannot call C (before 26) or where it is not glibc. */
export function returnFreePages(): void {
  try {
    trim ??= findTrim();
    trim();
  } catch {
    trim = () => undefined;
  }
}

function findTrim(): () => void {
  const functions = functionsOfC<{ malloc_trim(pad: bigint): number }>(MALLOC_TRIM);
  return () => functions?.malloc_trim(0n);
}
