// Every refusal that a page can show: its own, those of operations for people, and those of the server.
import type { PersonReason, Refusal } from '../../../core/refusal.ts';
import type { TransportReason } from '../../http/transport-refusal.ts';

/** Refusals of pages alone. */
export const PAGE_REASONS = ['form-stale'] as const;

export type PageReason = (typeof PAGE_REASONS)[number] | PersonReason | TransportReason;
export type PageRefusal = Refusal<PageReason>;
