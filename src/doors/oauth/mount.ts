import type { FeedTail } from '../../operations/feed/feed-tail.ts';
import type { DpopProofs } from '../../operations/grant/dpop-proofs.ts';
import type { TokenMount } from '../token/mount.ts';
import type { Metadata } from './schemas.ts';

/** The door on one listener. */
export interface OauthMount extends TokenMount {
  readonly metadata: Metadata;
  readonly feed: FeedTail;
  readonly proofs: DpopProofs;
}
