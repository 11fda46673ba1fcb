// What a token door records about a request for its log line.
import type { FastifyRequest } from 'fastify';
import type { Grant } from '../../core/grant.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import type { Ports } from '../../operations/ports.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { storyOf } from '../http/story.ts';

const MARK_LENGTH = 12;

/** Records which integration was named. Callers put passwords and tokens in the wrong field, so unregistered text is hashed. */
export function recordIntegration(request: FastifyRequest, clientId: string | undefined, { registry }: Ports): void {
  if (!clientId) return;
  storyOf(request).clientId = registry.integration(clientId) ? clientId : unknownMark(clientId);
}

/** Long enough to compare with the hash of what a caller says it sent. */
function unknownMark(clientId: string): string {
  return `unknown:${sha256(clientId).slice(0, MARK_LENGTH)}`;
}

export function recordPair(request: FastifyRequest, { identityId, grantId }: TokenPair): void {
  const story = storyOf(request);
  story.identityId = identityId;
  story.grantId = grantId;
}

export function recordGrant(request: FastifyRequest, { clientId, identityId, id: grantId }: Grant): void {
  const story = storyOf(request);
  story.clientId = clientId;
  story.identityId = identityId;
  story.grantId = grantId;
}
