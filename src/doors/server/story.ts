import type { FastifyRequest } from 'fastify';
import type { RefusalReason } from '../../core/refusal.ts';

/** What one request was about: the source of its log line and of its metrics. Never a secret. */
export interface Story {
  operation: string;
  /** `aborted`: the caller went away before its answer had gone out. */
  outcome: 'accepted' | 'refused' | 'fault' | 'aborted';
  reason?: RefusalReason | undefined;
  rule?: string | undefined;
  clientId?: string | undefined;
  identityId?: string | undefined;
  grantId?: string | undefined;
}

// On the request itself: a WeakMap beside it would cost every request a few microseconds, collection included.
const STORY = Symbol('story of the request');

export function storyOf(request: FastifyRequest & { [STORY]?: Story }): Story {
  request[STORY] ??= newStory();
  return request[STORY];
}

/** With a place for everything: an object that grows is moved. */
function newStory(): Story {
  return {
    operation: 'none',
    outcome: 'accepted',
    reason: undefined,
    rule: undefined,
    clientId: undefined,
    identityId: undefined,
    grantId: undefined,
  };
}
