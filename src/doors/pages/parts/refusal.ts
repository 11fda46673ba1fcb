// Why a page says no, in one closed list: what it says itself, what people are told by operations, and what the server says.
import type { PersonReason, Refusal } from '../../../core/refusal.ts';
import type { TransportReason } from '../../server/transport-refusal.ts';

/** What only pages say. */
export const PAGE_REASONS = ['form-stale'] as const;

export type PageReason = (typeof PAGE_REASONS)[number] | PersonReason | TransportReason;
export type PageRefusal = Refusal<PageReason>;
