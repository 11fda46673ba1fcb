// Requests of callers in the drill: check a token, refresh a chain, get a grant by certificate, or all of these.
import { CERTIFICATE, CLIENT, type Pair, SCOPE, TOKEN, VERIFY } from '../../../test/e2e/steps.ts';
import type { Ask } from './line.ts';
import type { Walk } from './load.ts';

export const KINDS = ['verify', 'refresh', 'certificate', 'mixed'] as const;
export type Kind = (typeof KINDS)[number];

/** A grant and its last acknowledged pair, which must work at the end. */
export interface Chain {
  pair: Pair;
}

/** `at`: where in the sequence of a mixed walk it begins. */
export function walkOf(kind: Kind, chain: Chain, at = 0): Walk {
  switch (kind) {
    case 'verify':
      return verifyWalk(chain);
    case 'refresh':
      return refreshWalk(chain);
    case 'certificate':
      return { next: () => post(CERTIFICATE, { client_id: CLIENT, scope: SCOPE }), accepted: () => undefined };
    case 'mixed':
      return mixedWalk(
        [
          ...Array.from({ length: 7 }, () => verifyWalk(chain)),
          walkOf('certificate', chain),
          ...Array.from({ length: 2 }, () => refreshWalk(chain)),
        ],
        at,
      );
  }
}

function verifyWalk({ pair: { access_token: token } }: Chain): Walk {
  return { next: () => ({ path: VERIFY, token }), accepted: () => undefined };
}

function refreshWalk(chain: Chain): Walk {
  return {
    next: () => post(TOKEN, { client_id: CLIENT, refresh_token: chain.pair.refresh_token }),
    accepted: (body) => {
      chain.pair = JSON.parse(body);
    },
  };
}

/** In sequence; a refused request is retried before the next. */
function mixedWalk(walks: readonly Walk[], first: number): Walk {
  let at = first;
  const current = () => walks[at % walks.length] as Walk;
  return {
    next: () => current().next(),
    accepted: (body) => {
      current().accepted(body);
      at += 1;
    },
  };
}

function post(path: string, body: object): Ask {
  return { path, body: JSON.stringify(body) };
}
