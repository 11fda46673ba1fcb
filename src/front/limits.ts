// The limits between the network and the doors. Each says what breaks without it.

/** From the section `limits` of the configuration. */
export interface Limits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** How long a stop waits for the next request on an idle connection. */
  readonly drainIdleMs: number;
  readonly connections: number;
  /** Slots. */
  readonly inFlight: number;
  readonly eventStreams: number;
  /** Percent of `connections`, `inFlight` and `eventStreams` that one address, and one network, may hold. */
  readonly addressShare: number;
  readonly networkShare: number;
}

/** Connections that wait to be accepted, 511 by default: of a crowd, the rest would connect seconds later, when proxies have given up. */
export const BACKLOG = 4_096;
/** A crowd that comes at once would be refused, although there is time for all of it. */
export const SLOT_WAIT_MS = 1_000;
/** One address that waits for its own share would make every free slot a long search. */
export const MOST_LOOKED_AT = 64;
/** Callers that retry at once would keep the process busy with refusing. */
export const REFUSE_AFTER_MS = 2_000;
/** Seconds in Retry-After, in turn: callers that were refused together would come back together. */
export const RETRY_AFTER = [1, 2, 3] as const;
/** One HTTP/1.1 connection could have any number of requests in progress. Clients that use pipelining send fewer. */
export const PIPELINED = 16;
/** Health checks would fail under load, and the service be restarted for it. They take no slots. */
export const MONITORING = 64;
/** A body of one-byte pieces would take all memory: each costs hundreds of bytes. Clients send bodies of our size in a few. */
export const BODY_PIECES = 500;
/** Unread answers would take all memory. Over this number, the connection of the oldest is closed, if it has waited for this long. */
export const UNSENT = { answers: 1_000, ms: 500 };
/** A newcomer could close a connection that is about to send its first request. */
export const LEAST_IDLE_MS = 1_000;
/** How long a connection stays open after its last answer: closing at once could lose the answer, not closing holds the connection. */
export const LINGER_MS = { sent: 1_000, unsent: 10_000 };
/** HTTP/2 headers are read up to this many times the limit: otherwise the session is closed instead of answered with 431. */
const HEADER_SLACK = 3;

/** Of one HTTP/2 connection; Node's own limits apply besides. */
export function http2Limits({ headerBytes }: Limits) {
  return {
    settings: { maxHeaderListSize: headerBytes * HEADER_SLACK, maxConcurrentStreams: 100 },
    /** By default 128: a request with more would be reset instead of answered. */
    maxHeaderListPairs: 2000,
    /**
     * By default 1,000 and 33 a second: a gateway whose deadlines cancel many requests would lose its connection, and a burst of a
     * thousand from each of 25 connections would hold everybody else up for seconds. nghttp2 adds to the burst once a second.
     */
    streamResetBurst: 400,
    streamResetRate: 400,
    /** In megabytes, 10 by default: callers that do not read would take 10 GB with 1,000 connections. */
    maxSessionMemory: 2,
  };
}
