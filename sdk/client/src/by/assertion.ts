import { TokenFailure } from '../failure.ts';
import { readText } from './pem.ts';
import type { Way } from './way.ts';

export interface AssertionOptions {
  /** The file in which the platform keeps the JWT of this workload, or a function that returns the JWT. Read anew each time. */
  readonly assertion: string | (() => string | Promise<string>);
  /** What the tokens are for, such as `orders:read`. Left out: everything the integration may do. */
  readonly scope?: string | undefined;
}

/** By a JWT of the platform that runs this program: a CI system, Kubernetes, SPIFFE (RFC 7523). Needs no person. */
export function assertion({ assertion, scope }: AssertionOptions): Way {
  return {
    isAlone: true,
    todo: 'Ask the operator which assertions the integration accepts.',
    tls: () => undefined,
    start: async (door, signal) => {
      const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      return door.token({ grant_type, assertion: await read(assertion), scope }, { signal });
    },
  };
}

async function read(assertion: AssertionOptions['assertion'] | undefined): Promise<string> {
  if (!assertion)
    throw new TokenFailure('usage', 'assertion is missing', 'Give its file, or a function that returns it.');
  const found: unknown = typeof assertion === 'string' ? readText('assertion', assertion) : await assertion();
  if (typeof found === 'string') return found.trim();
  throw new TokenFailure('usage', 'assertion did not return a text', 'The function must return the JWT.');
}
