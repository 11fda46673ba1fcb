// What a module opens once for all test files of its process, such as a database server, ends after the last of them.
import { after } from 'node:test';

type End = () => Promise<unknown>;

/** Set where several test files share a process (runtime/shared-process.mjs). */
const collect = (globalThis as Record<symbol, unknown>)[Symbol.for('tessera: after the last test file')];

export const atEnd = (collect ?? after) as (end: End) => void;
