// What callers ask in the drill: check a token, refresh a chain, get a grant by certificate, or all of it.
import { CERTIFICATE, CLIENT, type Pair, SCOPE, TOKEN, VERIFY } from '../../../test/e2e/steps.ts';
import type { Walk } from './load.ts';

export const KINDS = ['verify', 'refresh', 'certificate', 'mixed'] as const;
export type Kind = (typeof KINDS)[number];

/** Every pair that was acknowledged last on its chain: it must work when all is over. */
export type Acknowledged = Set<{ readonly first: Pair; pair: Pair }>;

export function walkOf(kind: Kind, pair: Pair, kept: Acknowledged, first = pair): Walk {
  switch (kind) {
    case 'verify':
      return verifyWalk(pair);
    case 'refresh':
      return refreshWalk(pair, kept, first);
    case 'certificate':
      return { next: () => post(CERTIFICATE, { client_id: CLIENT, scope: SCOPE }), accepted: () => undefined };
    case 'mixed':
      return mixedWalk([
        ...Array.from({ length: 7 }, () => verifyWalk(pair)),
        walkOf('certificate', pair, kept),
        ...Array(2).fill(refreshWalk(pair, kept, first)),
      ]);
  }
}

function verifyWalk({ access_token }: Pair): Walk {
  const request = `GET ${VERIFY} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${access_token}\r\n\r\n`;
  return { next: () => request, accepted: () => undefined };
}

function refreshWalk(pair: Pair, kept: Acknowledged, first: Pair): Walk {
  const last = { first, pair };
  kept.add(last);
  return {
    next: () => post(TOKEN, { client_id: CLIENT, refresh_token: last.pair.refresh_token }),
    accepted: (body) => {
      last.pair = JSON.parse(body);
    },
  };
}

/** One after the other; a refused request is asked again before the next. */
function mixedWalk(walks: readonly Walk[]): Walk {
  let at = 0;
  const current = () => walks[at % walks.length] as Walk;
  return {
    next: () => current().next(),
    accepted: (body) => {
      current().accepted(body);
      at += 1;
    },
  };
}

function post(path: string, body: object): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}
