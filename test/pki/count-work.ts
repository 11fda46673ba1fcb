// Counts the expensive work of a verdict. Unlike time, it does not depend on the machine.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

export interface Work<T> {
  readonly result: T;
  /** Signatures that were verified. */
  readonly checks: number;
  /** Keys that were loaded. */
  readonly keys: number;
  /** Characters that were normalised. */
  readonly characters: number;
  /** Suffixes that were compared, which name constraints do. */
  readonly comparisons: number;
}

export function countWork<T>(work: () => T): Work<T> {
  const verified = mock.method(crypto, 'verify');
  const loaded = mock.method(crypto, 'createPublicKey');
  const normalised = mock.method(String.prototype, 'normalize');
  const compared = mock.method(String.prototype, 'endsWith');
  syncBuiltinESMExports();
  try {
    const result = work();
    return {
      result,
      checks: verified.mock.callCount(),
      keys: loaded.mock.callCount(),
      characters: normalised.mock.calls.reduce((sum, call) => sum + String(call.this).length, 0),
      comparisons: compared.mock.callCount(),
    };
  } finally {
    for (const spy of [verified, loaded, normalised, compared]) spy.mock.restore();
    syncBuiltinESMExports();
  }
}
