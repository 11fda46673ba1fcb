// Which requests are in progress. A place belongs to a socket (HTTP/1.1) or a stream (HTTP/2) and is released when its
// response is done or its owner is gone, whichever comes first.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { ConcurrentStreams } from './concurrent-streams.ts';
import { FrameBudget } from './frame-budget.ts';
import { isOverShare, type Party, type ShareLimit, type Shares } from './shares.ts';
import { isUnread } from './unread.ts';

export interface Departure {
  /** False if the caller went away before the answer was sent. */
  readonly answered: boolean;
  readonly milliseconds: number;
}

/** One connection. */
export interface Visitor {
  readonly owner: Socket | ServerHttp2Session;
  /** Where its places are counted. */
  readonly home: Places;
  readonly session: ServerHttp2Session | undefined;
  /** The owner itself, or the socket under the session. */
  readonly socket: Socket;
  readonly address: string;
  readonly party: Party;
  /** A listed proxy: its requests count for the addresses it forwards. */
  readonly isProxy: boolean;
  /** In the order of arrival. Usually one: an array is faster than a set then. */
  readonly places: Place[];
  /** For HTTP/2 connections. */
  readonly concurrent: ConcurrentStreams | undefined;
  /** For HTTP/2 connections other than those of proxies. */
  readonly frames: FrameBudget | undefined;
  readonly openedAt: number;
  lastUsedAt: number;
  /** When a caller that was refused may come back. */
  retryAt: number;
  /** An authentic token or certificate was accepted on this connection. */
  isKnown: boolean;
  /** Nothing more is read from this connection. */
  isEnding: boolean;
  /** Called once, when the last request in progress has been answered. */
  whenIdle: (() => void) | undefined;
}

export interface Place {
  readonly visitor: Visitor;
  readonly party: Party;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly stream: ServerHttp2Stream | undefined;
  /** Refusals, health checks and event streams do not count toward the limit, but are followed to their end too. */
  counts: boolean;
  isHeld: boolean;
  readonly since: number;
  /** When the response was first seen to be on its way. */
  beganAt: number | undefined;
  isCut: boolean;
  /** Its stream is closed, but the connection has not sent what was written. */
  isUnsent: boolean;
  /** Whether the owner was found gone while the place was still held. */
  isOrphaned: boolean;
  leave: ((departure: Departure) => void) | undefined;
  /** Ends a response that would otherwise stay open. */
  endStream: (() => void) | undefined;
  /** Refuses a request whose body does not arrive. */
  refuseLate: (() => void) | undefined;
}

export interface Census {
  readonly held: number;
  /** Held places whose socket or stream is alive. */
  readonly living: number;
  /** Places that outlived their owner since the start. More than 0 is a defect. */
  readonly orphaned: number;
}

/** Event streams that may be open at a time. */
export interface StreamLimit {
  readonly total: number;
  readonly share: ShareLimit;
}

export class Places {
  readonly #shares: Shares;
  readonly #streamLimit: StreamLimit;
  readonly #visitors = new Set<Visitor>();
  #held = 0;
  #streams = 0;
  #orphaned = 0;
  #isEnding = false;
  #closesIdle = false;

  constructor(shares: Shares, streamLimit: StreamLimit) {
    this.#shares = shares;
    this.#streamLimit = streamLimit;
  }

  get held(): number {
    return this.#held;
  }

  /** The server stops. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  get visitors(): ReadonlySet<Visitor> {
    return this.#visitors;
  }

  /** Follows a connection until it closes, then releases what it still holds. */
  welcome(socket: Socket, session: Visitor['session'], address: string, isProxy: boolean): Visitor {
    const owner = session ?? socket;
    const now = performance.now();
    const visitor: Visitor = {
      owner,
      home: this,
      session,
      socket,
      address,
      party: this.#shares.enter(address),
      isProxy,
      places: [],
      concurrent: session && new ConcurrentStreams(session),
      frames: session && !isProxy ? new FrameBudget(session, socket) : undefined,
      openedAt: now,
      lastUsedAt: now,
      retryAt: now,
      isKnown: false,
      isEnding: false,
      whenIdle: undefined,
    };
    this.#visitors.add(visitor);
    owner.once('close', () => this.#farewell(visitor));
    return visitor;
  }

  /** `party`: differs from the visitor's own if a proxy forwards the request. */
  take(
    visitor: Visitor,
    raw: IncomingMessage,
    response: ServerResponse,
    { counts, party }: { readonly counts: boolean; readonly party: Party },
  ): Place {
    const { stream } = raw as { stream?: ServerHttp2Stream };
    const since = performance.now();
    const place: Place = {
      visitor,
      party,
      raw,
      response,
      stream,
      counts,
      isHeld: true,
      since,
      beganAt: undefined,
      isCut: false,
      isUnsent: false,
      isOrphaned: false,
      leave: undefined,
      endStream: undefined,
      refuseLate: undefined,
    };
    visitor.places.push(place);
    visitor.lastUsedAt = since;
    if (counts) this.#count(party, 1);
    // Not `once`, which takes longer: `release` does nothing the second time.
    if (stream) stream.on('close', () => this.#close(place));
    else response.on('close', () => this.release(place));
    return place;
  }

  /**
   * For a response that stays open for long without work, such as an event stream: it is counted apart from requests. `end` ends it
   * when the server stops. Returns why it must not stay open, if there are too many.
   */
  keepStreaming(place: Place, end: () => void): 'overloaded' | 'rate-limited' | undefined {
    const { party, visitor, isHeld } = place;
    const { total, share } = this.#streamLimit;
    if (this.#streams >= total) return 'overloaded';
    const isLimited = !visitor.isProxy || party !== visitor.party;
    if (isLimited && isOverShare(party, 'streams', share)) return 'rate-limited';
    this.uncount(place);
    place.endStream = end;
    if (isHeld) this.#countStream(party, 1);
    if (this.#isEnding) end();
    return undefined;
  }

  /** Ends the streams, and those that begin from now on. */
  endStreams(): void {
    this.#isEnding = true;
    for (const { places } of this.#visitors) for (const { endStream } of [...places]) endStream?.();
  }

  /** Closes HTTP/2 sessions without requests, and others once they have none. */
  closeIdleSessions(): void {
    this.#closesIdle = true;
    for (const { session, places } of this.#visitors) if (places.length === 0) session?.close();
  }

  release(place: Place): void {
    const { visitor, party, response, stream } = place;
    if (!place.isHeld) return;
    place.isHeld = false;
    visitor.places.splice(visitor.places.indexOf(place), 1);
    if (place.counts) this.#count(party, -1);
    if (place.endStream) this.#countStream(party, -1);
    if (party !== visitor.party) this.#shares.leave(party);
    const now = performance.now();
    visitor.lastUsedAt = now;
    const milliseconds = Math.round((now - place.since) * 1000) / 1000;
    // An HTTP/2 response reports finished even if it was cut off; its stream does not.
    const answered = !place.isCut && (stream ? !stream.aborted : response.writableFinished);
    place.leave?.({ answered, milliseconds });
    if (visitor.places.length === 0) this.#becomeIdle(visitor);
  }

  census(): Census {
    let living = 0;
    for (const { places } of this.#visitors)
      for (const place of places) if (place.counts && !isGone(place)) living += 1;
    return { held: this.#held, living, orphaned: this.#orphaned };
  }

  /** Called periodically: releases places whose connection has sent everything, and those without an owner, which it counts. */
  releaseLeft(): void {
    for (const { places, socket } of this.#visitors)
      for (const place of [...places]) {
        if (place.isUnsent && !isUnread(socket)) this.release(place);
        if (!isGone(place)) continue;
        if (place.isOrphaned) {
          this.#orphaned += 1;
          this.release(place);
        }
        place.isOrphaned = true; // its closing may be under way: counted when it is found again
      }
  }

  /** From now on it takes no place from others. It is still followed to its end. */
  uncount(place: Place): void {
    if (place.counts && place.isHeld) this.#count(place.party, -1);
    place.counts = false;
  }

  /** A caller could otherwise cancel requests instead of reading their answers, and would hold memory without a place. */
  #close(place: Place): void {
    const { visitor } = place;
    if (isCancelled(place) && visitor.concurrent) visitor.frames?.cancel(visitor.concurrent.most);
    place.isUnsent = isUnread(visitor.socket);
    if (place.isUnsent) place.beganAt ??= performance.now();
    else this.release(place);
  }

  #count(party: Party, by: 1 | -1): void {
    this.#held += by;
    party.places += by;
    party.network.places += by;
  }

  #countStream(party: Party, by: 1 | -1): void {
    this.#streams += by;
    party.streams += by;
    party.network.streams += by;
  }

  #farewell(visitor: Visitor): void {
    for (const place of [...visitor.places]) this.release(place);
    this.#visitors.delete(visitor);
    this.#shares.leave(visitor.party);
  }

  #becomeIdle(visitor: Visitor): void {
    const { whenIdle } = visitor;
    visitor.whenIdle = undefined;
    whenIdle?.();
    if (this.#closesIdle) visitor.session?.close();
  }
}

function isGone({ stream, visitor, isUnsent }: Place): boolean {
  return (isUnsent || !stream ? visitor.owner : stream).destroyed;
}

/** Whether the caller reset the stream. */
function isCancelled({ stream, isCut }: Place): boolean {
  return stream !== undefined && !isCut && (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR);
}

/** Before a response is sent: asks the caller to use another connection from now on. */
export function endConnection(place: Place): void {
  const { stream, visitor, response } = place;
  // GOAWAY precedes the response, so a caller that waits for it sends nothing into a closing session.
  if (stream) stream.session?.close();
  // Not while pipelined requests wait behind this one.
  else if (visitor.places.at(-1) === place) response.shouldKeepAlive = false;
}
