import type { FastifyRequest } from 'fastify';
import type { RefusalReason } from '../core/refusal.ts';

/** What one request was about: the source of its log line and of its metrics. Never a secret. */
export interface Story {
  operation: string;
  /** `aborted`: the caller went away before its answer had gone out. */
  outcome: 'accepted' | 'refused' | 'fault' | 'aborted';
  reason?: RefusalReason;
  rule?: string;
  clientId?: string;
  identityId?: string;
  grantId?: string;
}

const stories = new WeakMap<FastifyRequest, Story>();

export function storyOf(request: FastifyRequest): Story {
  const known = stories.get(request);
  if (known) return known;
  const story: Story = { operation: 'none', outcome: 'accepted' };
  stories.set(request, story);
  return story;
}
