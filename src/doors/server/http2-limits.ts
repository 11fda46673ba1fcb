// Limits of one HTTP/2 connection.
import { STREAMS_OF_STRANGERS } from './concurrent-streams.ts';

/** Memory limit of one HTTP/2 connection in megabytes; beyond it, new streams are refused. */
const SESSION_MEGABYTES = 2;
const OUTSTANDING_PINGS = 10;
/** No limit: Node counts them for the life of a connection, and streams above the limit too. frame-budget.ts limits both. */
const INVALID_FRAMES = 2 ** 32 - 1;
/** Streams that the caller cancels, at once and per second. frame-budget.ts has a lower limit for strangers. */
const RESET_STREAMS = { streamResetBurst: 200, streamResetRate: 33 };
/** HTTP/2 headers are read up to this many times the limit, to answer 431 instead of closing the session. */
const HEADER_SLACK = 3;

/** The limit that Node has for HTTP/1.1. The limit on bytes is reached first. */
const HEADER_PAIRS = 2000;

/** Limits what one connection can use. Callers get more streams once they have shown an authentic token. */
export function http2Options({ headerBytes }: { readonly headerBytes: number }) {
  return {
    settings: { maxHeaderListSize: headerBytes * HEADER_SLACK, maxConcurrentStreams: STREAMS_OF_STRANGERS },
    maxHeaderListPairs: HEADER_PAIRS,
    maxSessionMemory: SESSION_MEGABYTES,
    maxOutstandingPings: OUTSTANDING_PINGS,
    maxSessionInvalidFrames: INVALID_FRAMES,
    ...RESET_STREAMS,
  };
}
