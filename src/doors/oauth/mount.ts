import type { FeedTail } from '../../operations/feed/feed-tail.ts';
import type { DpopProofs } from '../../operations/grant/dpop-proofs.ts';
import type { Call, TokenMount } from '../token/call.ts';
import type { Metadata } from './schemas.ts';

export interface OauthMount extends TokenMount {
  readonly metadata: Metadata;
  readonly feed: FeedTail;
  readonly proofs: DpopProofs;
}

export type OauthCall = Call<OauthMount>;
