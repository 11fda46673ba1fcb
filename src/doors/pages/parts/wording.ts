// How a page words a refusal: the status, and which text.
import { DECLARED, isWorded, type PageReason, type Refusal } from '../../../core/refusal.ts';
import { OF_SERVER } from '../../../core/refusals/server.ts';
import { SERVER_STATUS } from '../../http/transport-refusal.ts';
import type { RefusalText } from './texts/en-refusals.ts';

export type PageRefusal = Refusal<PageReason>;

export interface PageWording {
  readonly status: number;
  readonly says: RefusalText;
}

export function pageWording(reason: PageReason): PageWording {
  if (isWorded(reason)) return { status: DECLARED[reason].page, says: reason };
  const { class: kind } = OF_SERVER[reason];
  return { status: SERVER_STATUS[kind], says: kind === 'unavailable' ? kind : 'unreadable' };
}
