// Every limit between the network and the doors, in the order in which a request meets them. `npm run configuration` prints them in docs/proxies.md.

/** From the section `limits` of the configuration. */
export interface Limits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** How long a stop waits for the next request on an idle connection. */
  readonly drainIdleMs: number;
  readonly connections: number;
  /** Slots. */
  readonly inFlight: number;
  readonly eventStreams: number;
  /** Of these, those that one follower may hold, from however many addresses. It depends on what is registered. */
  readonly eventStreamsOfOne: () => number;
  /** Percent of `connections` and `inFlight` that one address, and one network, may hold. */
  readonly addressShare: number;
  readonly networkShare: number;
}

interface Row {
  readonly what: string;
  /** A number, or the settings. */
  readonly most: number | string;
  /** What happens over the limit. */
  readonly over: string;
  readonly without: string;
  /** Not behind a proxy that connects without TLS, and so without HTTP/2. */
  readonly isBareOnly?: true;
}

export const FRONT = {
  backlog: {
    what: 'connections that wait to be accepted',
    most: 4_096,
    over: 'the system of the caller tries again',
    without: 'most of a crowd would connect seconds later: Node has 511',
  },
  connections: {
    what: 'open connections',
    most: 'connections',
    over: 'the one that has been idle for longest closes, if that is a second and it is not of a proxy; else the new one',
    without: 'open files and memory would run out',
    idleMs: 1_000,
  },
  connectionsOfOne: {
    what: 'open connections of an address; of a network',
    most: 'addressShare; networkShare',
    over: 'the new one closes',
    without: 'one caller could take all',
    isBareOnly: true,
  },
  time: {
    what: 'time for a TLS handshake; for a request to arrive; to read an answer',
    most: 'requestTimeout',
    over: 'the connection closes; 400; the connection closes (HTTP/2: the stream)',
    without: 'slow callers would take all connections',
  },
  headers: {
    what: 'size of headers',
    most: 'headerBytes',
    over: '431',
    without: 'headers would take all memory',
  },
  pipelined: {
    what: 'pipelined requests of a connection (HTTP/1.1)',
    most: 16,
    over: 'the connection closes behind their answers',
    without: 'one packet could bring 1,700 before Node stops reading',
  },
  streams: {
    what: 'requests at a time on a connection (HTTP/2)',
    most: 100,
    over: 'the stream is refused',
    without: 'one connection could bring any number',
    isBareOnly: true,
  },
  resets: {
    what: 'cancelled requests of a connection in a second (HTTP/2)',
    // Node has 1,000, then 33 a second: a gateway whose deadlines cancel many would lose its connection, and 25 bursts of a thousand
    // would hold everybody else up for seconds.
    most: 400,
    over: 'the connection closes',
    without: 'they would keep the process busy (CVE-2023-44487)',
    isBareOnly: true,
  },
  sessionMegabytes: {
    what: 'megabytes in memory of a connection (HTTP/2)',
    most: 2,
    over: 'the stream is refused',
    without: 'callers that do not read would take all memory: Node has 10 for each',
    isBareOnly: true,
  },
  body: {
    what: 'size of a body',
    most: 'bodyBytes',
    over: '413',
    without: 'bodies would take all memory',
  },
  pieces: {
    what: 'pieces of a body, or one for each KiB that it may have',
    most: 500,
    over: '413',
    without: 'pieces of one byte would take all memory: each costs hundreds',
  },
  slots: {
    what: 'slots: requests at a time, from the end of their body to their answer. Health checks and metrics need none',
    most: 'maxInFlight',
    over: '503 with `Retry-After`, after a wait of two seconds',
    without: 'under overload, all answers would come too late',
    waitMs: 2_000,
    /** Retry-After is 1, 2 or 3 in turn: callers that were refused together would come back together. */
    mostRetryAfter: 3,
  },
  slotsOfOne: {
    what: 'slots of an address; of a network',
    most: 'addressShare; networkShare',
    over: '429 with `Retry-After`, after a wait of two seconds',
    without: 'one caller could take all',
  },
  followers: {
    what: 'streams of the revocation feed, half of them for one of several resource servers',
    most: 'followers',
    over: '503; 429',
    without: 'followers would take all memory',
  },
  unread: {
    what: 'answers that their callers have not read yet',
    most: 1_000,
    over: 'the connection closes whose answer has waited for longest, if that is half a second',
    without: 'unread answers would take all memory',
    afterMs: 500,
  },
  idle: {
    what: 'time between two requests of a connection',
    most: 'idleTimeout',
    over: 'the connection closes',
    without: 'callers that are gone would take all connections',
  },
} as const satisfies Readonly<Record<string, Row & Readonly<Record<string, unknown>>>>;

/** The table of docs/proxies.md. */
export function limitsTable(): string {
  const rows = Object.values<Row>(FRONT).map(({ what, most, over, without, isBareOnly }) => {
    const limit = typeof most === 'number' ? most.toLocaleString('en-US') : most.replace(/\w+/g, '`$&`');
    return `| ${what} | ${limit} | ${over} | ${without} |${isBareOnly ? '' : ' yes'} |`;
  });
  return ['| What | Limit | Over it | Without it | Behind a proxy |', '|---|---|---|---|---|', ...rows].join('\n');
}
