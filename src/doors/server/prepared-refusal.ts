// Refusals in bytes made beforehand, for requests that are turned away before anything is done for them.
import type { ServerResponse } from 'node:http';
import type { RefusalReason } from '../../core/refusal.ts';

export interface PreparedRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the door at this address words a refusal. */
export type PrepareRefusal = (url: string, reason: RefusalReason) => PreparedRefusal;

/** Callers that were refused together shall not come back together. */
const RETRY_AFTER = ['1', '2', '3'];

let refused = 0;

export function sendRefusal(response: ServerResponse, { status, headers, body }: PreparedRefusal): void {
  const retryAfter = RETRY_AFTER[refused++ % RETRY_AFTER.length] as string;
  response.writeHead(status, { ...headers, 'retry-after': retryAfter }).end(body);
}
