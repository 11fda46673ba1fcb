import { TokenFailure } from '../failure.ts';
import { readText } from './pem.ts';
import type { Way } from './way.ts';

export interface SecretOptions {
  /** What `tessera integration secret` printed (`tsc_…`), or the file that holds it. Read anew each time. */
  readonly secret: string;
  /** What the tokens are for, such as `orders:read`. Left out: everything the integration may do. */
  readonly scope?: string | undefined;
}

/** By a generated secret. Prefer `privateKey`: the service then has nothing that can be stolen. */
export function secret({ secret, scope }: SecretOptions): Way {
  return {
    isAlone: true,
    todo: 'Ask the operator for a new secret: tessera integration secret',
    tls: () => undefined,
    client: () => ({ client_secret: read(secret) }),
    start: (door, signal) => door.token({ grant_type: 'client_credentials', scope }, { signal }),
  };
}

function read(given: string | undefined): string {
  if (!given) throw new TokenFailure('usage', 'secret is missing', 'Give it, or its file.');
  return given.startsWith('tsc_') ? given : readText('secret', given).trim();
}
