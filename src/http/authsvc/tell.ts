// What the log is told about a request of this dialect.
import type { FastifyRequest } from 'fastify';
import type { Grant } from '../../core/grant.ts';
import type { Ports } from '../../operations/ports.ts';
import type { TokenPair } from '../../operations/token-pair.ts';
import { storyOf } from '../story.ts';

// A token put in the wrong place is longer than this or begins like this; a mistyped client_id is neither.
const SHOWN_LENGTH = 64;
const TOKEN_LIKE = /ts[ard]_/;

/** Which integration was named; one that is not known too, unless the text may be a secret. */
export function tellIntegration(request: FastifyRequest, clientId: string | undefined, { registry }: Ports): void {
  if (!clientId) return;
  storyOf(request).clientId = registry.integration(clientId) ? clientId : shownStranger(clientId);
}

function shownStranger(clientId: string): string {
  const isHarmless = clientId.length <= SHOWN_LENGTH && !TOKEN_LIKE.test(clientId);
  return isHarmless ? clientId.replace(/[^\u0021-\u007e]/g, '?') : '[not shown]';
}

export function tellPair(request: FastifyRequest, { identityId, grantId }: TokenPair): void {
  const story = storyOf(request);
  story.identityId = identityId;
  story.grantId = grantId;
}

export function tellGrant(request: FastifyRequest, { clientId, identityId, id: grantId }: Grant): void {
  const story = storyOf(request);
  story.clientId = clientId;
  story.identityId = identityId;
  story.grantId = grantId;
}
