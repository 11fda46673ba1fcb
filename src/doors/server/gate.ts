// In front of the doors: every request takes a place here, or is refused before any work is done for it.
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Peers } from '../caller/connection.ts';
import { boundPieces } from './body-pieces.ts';
import { cut } from './cut.ts';
import { Room } from './make-room.ts';
import { endConnection, type Place, Places, type StreamLimit, type Visitor } from './places.ts';
import { sendRefusal } from './prepared-refusal.ts';
import type { Pressure } from './pressure.ts';
import { RefusalQueue } from './refusal-queue.ts';
import type { RefusalReplies } from './refusal-replies.ts';
import { requestBytes } from './request-bytes.ts';
import { isOverShare, type Party, type ShareLimit, type Shares } from './shares.ts';
import type { ServerReason } from './transport-refusal.ts';

export interface GateRules {
  readonly shares: Shares;
  readonly places: number;
  readonly bodyBytes: number;
  readonly limit: ShareLimit;
  readonly streams: StreamLimit;
  readonly peers: Peers;
  readonly pressure: Pressure;
  /** Whether a request carries an authentic token in its headers. */
  readonly isAuthentic: (headers: IncomingHttpHeaders) => boolean;
  /** Whether a request is a health check or a scrape, which the limit on requests does not count. */
  readonly isMonitoring: (url: string) => boolean;
  /** Who words a refusal at this address. */
  readonly repliesAt: (url: string) => RefusalReplies;
  /** Called for every request that is refused here. */
  readonly onRefused: (reason: ServerReason) => void;
}

/** Unanswered requests on one HTTP/1.1 connection. Clients that use pipelining send fewer. */
const PIPELINED = 16;
/** A connection that sends this many more is closed. */
const PIPELINED_AND_IGNORED = 100;
/** Health checks and scrapes at a time, in addition to other requests. */
const WATCHERS = 64;
/** The share of the places that strangers may take; the rest is for callers that show a token. */
const OPEN_TO_ALL = 0.95;
/** While HTTP/2 callers should have more streams. */
const RAISE_EVERY_MS = 500;

const VISITOR = Symbol('visitor on this connection');
const PLACE = Symbol('place of this response');
const ITSELF = Symbol('socket under an HTTP/2 session');
type Kept<T> = T & { [VISITOR]?: Visitor };

export class Gate {
  readonly places: Places;
  readonly #rules: GateRules;
  readonly #refusals: RefusalQueue;
  readonly #room: Room;
  #watchers = 0;
  #raising: NodeJS.Timeout | undefined;

  constructor(server: Server, rules: GateRules) {
    this.#rules = rules;
    this.#refusals = new RefusalQueue(rules.pressure);
    this.places = new Places(rules.shares, rules.streams);
    this.#room = new Room(this.places);
    const [handle] = server.listeners('request') as RequestListener[];
    if (!handle) throw new Error('the server has no listener for requests');
    server.removeAllListeners('request');
    server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
      if (this.#admit(raw, response)) handle.call(server, raw, response);
    });
    // A session wraps its socket in a proxy object that refuses to destroy it, but passes properties through.
    server.prependListener('secureConnection', (socket: Socket & { [ITSELF]?: Socket }) => {
      socket[ITSELF] = socket;
    });
    server.on('session', (session: ServerHttp2Session) => this.#welcomeSession(session));
  }

  placeOf(response: ServerResponse & { [PLACE]?: Place }): Place | undefined {
    return response[PLACE];
  }

  /** The caller on an HTTP/1.1 connection. */
  visitorAt(socket: Kept<Socket>): Visitor {
    socket[VISITOR] ??= this.#welcome(socket, undefined);
    return socket[VISITOR];
  }

  /** Allows more concurrent streams once an authentic token was shown. */
  trust(visitor: Visitor): void {
    if (visitor.isKnown) return;
    trust(visitor);
    this.#raise(visitor);
  }

  #admit(raw: IncomingMessage, response: ServerResponse & { [PLACE]?: Place }): boolean {
    const { stream } = raw as { stream?: ServerHttp2Stream };
    const visitor = stream ? this.#visitorOn(stream) : this.visitorAt(raw.socket);
    if (!visitor) return false;
    if (!stream && !this.#mayFollow(visitor, raw, response)) return false;
    const party = this.#partyOf(visitor, raw);
    const isWatching = this.#watchers < WATCHERS && this.#rules.isMonitoring(raw.url ?? '');
    const reason = isWatching ? undefined : this.#whyNot(visitor, party, raw);
    const isFirst = visitor.lastUsedAt === visitor.openedAt;
    const place = this.places.take(visitor, raw, response, { counts: !isWatching && !reason, party });
    visitor.frames?.request(requestBytes(raw, this.#rules.bodyBytes));
    if (stream && !stream.endAfterHeaders) {
      closeBehindAnswer(stream);
      boundFrames(stream, visitor);
    } else if (raw.headers['transfer-encoding'] !== undefined) boundChunks(raw, response);
    if (reason) return this.#refuse(place, reason);
    if (isWatching) this.#watch(response);
    response[PLACE] = place;
    this.#rules.pressure.accept(isFirst);
    if (stream) this.#raise(visitor);
    return true;
  }

  #whyNot(visitor: Visitor, party: Party, { headers }: IncomingMessage): ServerReason | undefined {
    const { pressure, isAuthentic, places } = this.#rules;
    const { held } = this.places;
    pressure.arrive();
    if (pressure.isTooLate(held, true)) return 'overloaded';
    if (pressure.isTooLate(held, visitor.isKnown) && !isAuthentic(headers)) return 'overloaded';
    if (held >= OPEN_TO_ALL * places && !this.#room.make({ ofStrangersOnly: held < places })) {
      const isStranger = () => (!visitor.isKnown || visitor.isProxy) && !isAuthentic(headers);
      if (held >= places || isStranger()) return 'overloaded';
    }
    const isLimited = !visitor.isProxy || party !== visitor.party;
    return isLimited && isOverShare(party, 'places', this.#rules.limit) ? 'rate-limited' : undefined;
  }

  #refuse(place: Place, reason: ServerReason): false {
    const { visitor, response } = place;
    const { url = '' } = place.raw;
    this.#rules.pressure.refuse();
    this.#rules.onRefused(reason);
    if (reason === 'overloaded' && this.#rules.pressure.isSaturated) this.#lower(visitor);
    const refusal = this.#rules.repliesAt(url).prepare(url, reason);
    const isEarly = performance.now() < visitor.retryAt && !visitor.isProxy;
    const send = () => {
      if (this.places.isEnding) endConnection(place);
      visitor.retryAt = performance.now() + sendRefusal(response, refusal) * 1000;
    };
    const leave = () => this.#refusals.forget(send);
    place.leave = leave;
    this.#refusals.refuse(send, isEarly);
    return false;
  }

  /** Streams that the caller opens before it learns of the new limit are reset by Node (REFUSED_STREAM), which costs little. */
  #lower({ concurrent }: Visitor): void {
    if (!concurrent) return;
    concurrent.lower();
    this.#raiseLater();
  }

  #raise({ concurrent, places }: Visitor): void {
    if (!concurrent?.isShort(places.length)) return;
    if (this.#rules.pressure.isSaturated || !concurrent.raise()) this.#raiseLater();
  }

  /** Not only with requests: if all streams of a connection stay open, no further request can come. */
  #raiseLater(): void {
    this.#raising ??= setInterval(() => this.#raiseAll(), RAISE_EVERY_MS).unref();
  }

  #raiseAll(): void {
    const { pressure } = this.#rules;
    pressure.arrive(); // updates its figures
    if (pressure.isSaturated) return;
    clearInterval(this.#raising);
    this.#raising = undefined;
    for (const visitor of this.places.visitors) this.#raise(visitor);
  }

  /** Whether one more pipelined HTTP/1.1 request is allowed on this connection. */
  #mayFollow(visitor: Visitor, raw: IncomingMessage, response: ServerResponse): boolean {
    const waiting = visitor.places.length;
    // We do not upgrade to other protocols: the request is answered, then the connection closes.
    if (raw.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (!visitor.isEnding && waiting < PIPELINED) return true;
    if (waiting > PIPELINED + PIPELINED_AND_IGNORED) {
      raw.socket.destroy();
      stopParsing(raw.socket);
    }
    const place = this.places.take(visitor, raw, response, { counts: false, party: visitor.party });
    response.shouldKeepAlive = false;
    if (visitor.isEnding) return false; // the connection ends before its turn comes
    visitor.isEnding = true;
    return this.#refuse(place, 'rate-limited');
  }

  /** Requests of a proxy count for the address it forwards; without one they count for nobody. */
  #partyOf(visitor: Visitor, { headers }: IncomingMessage): Party {
    if (!visitor.isProxy) return visitor.party;
    const { shares, peers } = this.#rules;
    const address = peers.callerOf(visitor.address, headers);
    return address === visitor.address ? visitor.party : shares.enter(address);
  }

  #watch(response: ServerResponse): void {
    this.#watchers += 1;
    response.once('close', () => {
      this.#watchers -= 1;
    });
  }

  #visitorOn({ session }: ServerHttp2Stream): Visitor | undefined {
    return (session as Kept<ServerHttp2Session> | undefined)?.[VISITOR];
  }

  #welcomeSession(session: Kept<ServerHttp2Session>): void {
    const socket = (session.socket as { [ITSELF]?: Socket })[ITSELF];
    // Not if the socket was closed before, for the lack of a certificate. An error here would end the process.
    if (!socket || socket.destroyed) {
      session.destroy();
      return;
    }
    session[VISITOR] = this.#welcome(socket, session);
    if (session[VISITOR].isProxy) this.trust(session[VISITOR]);
  }

  #welcome(socket: Socket, session: Visitor['session']): Visitor {
    const { peers } = this.#rules;
    const plain = peers.plain(socket.remoteAddress ?? '');
    return this.places.welcome(socket, session, plain, peers.isProxy(plain));
  }
}

/**
 * The response becomes a stream of events: it takes no place from other requests, and `end` ends it when the server stops. Returns
 * why it must not, if there are too many streams.
 */
export function keepStreaming(
  response: ServerResponse & { [PLACE]?: Place },
  end: () => void,
): ServerReason | undefined {
  const place = response[PLACE];
  if (!place) return undefined;
  trust(place.visitor);
  return place.visitor.home.keepStreaming(place, end);
}

function trust(visitor: Visitor): void {
  visitor.isKnown = true;
  visitor.concurrent?.trust();
}

/** Whether this response is for an HTTP/1.1 connection that stays open after it. */
export function isOnKeptConnection(response: ServerResponse & { [PLACE]?: Place }): boolean {
  const place = response[PLACE];
  return place !== undefined && !place.stream && !place.visitor.home.isEnding;
}

/** Ends a stream of events at once, without waiting for the caller to read. */
export function cutStream(response: ServerResponse & { [PLACE]?: Place }): void {
  const place = response[PLACE];
  if (place) cut(place);
  else response.destroy();
}

/**
 * Node parses the rest of what it has read from a connection that was destroyed: 3,400 requests in 60 KB took 0.15 s and 10 MB. Its parser
 * ends if it is told that the connection has changed to another protocol.
 */
function stopParsing({ parser }: Socket & { parser?: { onIncoming?: () => number } }): void {
  if (parser) parser.onIncoming = () => ANOTHER_PROTOCOL;
}

const ANOTHER_PROTOCOL = 2;

function boundFrames(stream: ServerHttp2Stream, { frames }: Visitor): void {
  const onFlood = () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  boundPieces(stream, { onMany: () => frames?.count(), onFlood });
}

/** The connection ends with an answer that is sent before the last chunk has come: Node would go on to handle each. */
function boundChunks(raw: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  const onEnd = () => {
    response.shouldKeepAlive = shouldKeepAlive;
  };
  boundPieces(raw, { onEnd, onFlood: () => raw.socket.destroy() });
}

/** RFC 9113 8.1: does not wait for the rest of an unread body once the answer is sent. */
function closeBehindAnswer(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
