// Admits each request to the doors, or refuses it before any work is done for it.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Peers } from '../doors/caller/connection.ts';
import { attachExchange, exchangeOf } from '../doors/http/answers.ts';
import type { RefusalReplies } from '../doors/http/refusal-replies.ts';
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import type { Connection, InProgress } from './in-progress.ts';
import { MOST_LOOKED_AT, PIPELINED, REFUSE_AFTER_MS, RETRY_AFTER, SLOT_WAIT_MS } from './limits.ts';
import { type Origin, originOf } from './shares.ts';
import type { Slots } from './slots.ts';

export interface GateRules {
  readonly peers: Peers;
  readonly isMonitoring: (url: string) => boolean;
  readonly repliesAt: (url: string) => RefusalReplies;
  readonly onRefused: (reason: ServerReason) => void;
}

/** Without a slot. */
interface Waiting {
  readonly request: InProgress;
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
  readonly since: number;
}

/** Its caller is gone, or it was answered. */
function isOver({ holds, response }: InProgress): boolean {
  return holds === 'nothing any more' || response.writableEnded;
}

/** Not if its body has yet to come. */
function usesSlot(request: InProgress): boolean {
  return !isOver(request) && (request.stream !== undefined || request.raw.complete);
}

/** Requests that came too late for a slot are forgotten after this many others. */
const FORGET_EVERY = 500;

export class Gate {
  readonly #connections: Connections;
  readonly #slots: Slots;
  readonly #rules: GateRules;
  /** The newest last. */
  #waiting: Waiting[] = [];
  #willAdmit = false;
  #refused = 0;

  constructor(connections: Connections, slots: Slots, rules: GateRules) {
    this.#connections = connections;
    this.#slots = slots;
    this.#rules = rules;
    slots.onFree = () => this.#admitSoon();
  }

  /** `handle` gets the requests that are admitted. */
  before(handle: RequestListener): RequestListener {
    return (raw, response) => {
      const connection = this.#connections.of(raw);
      if (!connection || connection.isClosing) return;
      const request = this.#follow(raw, response, connection);
      if (!request.stream && !this.#mayFollow(request)) return;
      attachExchange(response, request);
      this.pass(request, () => handle(raw, response));
    };
  }

  /** Calls `go` now, or when a slot is free within a second. If none is, the request is refused, a second later. */
  pass(request: InProgress, go: () => void): void {
    const reason = this.#slots.whyNot(request);
    if (!reason) {
      go();
      return;
    }
    const timer = setTimeout(() => this.#refuse(request, reason), REFUSE_AFTER_MS).unref();
    this.#waiting.push({ request, go, timer, since: performance.now() });
    if (this.#waiting.length % FORGET_EVERY === 0) this.#forgetOld();
  }

  /** While no slot is freed, nobody else does. */
  #forgetOld(): void {
    const oldest = performance.now() - SLOT_WAIT_MS;
    this.#waiting = this.#waiting.filter(({ since }) => since >= oldest);
  }

  /** Not now: the answer that freed the slot goes first. */
  #admitSoon(): void {
    if (this.#willAdmit || this.#waiting.length === 0) return;
    this.#willAdmit = true;
    setImmediate(() => this.#admit());
  }

  /** Slots are free. The newest go first: under lasting overload, those that are served are served quickly, and the others are refused. */
  #admit(): void {
    this.#willAdmit = false;
    const oldest = performance.now() - SLOT_WAIT_MS;
    const skipped: Waiting[] = [];
    let [looks, { free }] = [MOST_LOOKED_AT, this.#slots];
    for (; looks > 0 && free > 0; looks--) {
      const next = this.#waiting.pop();
      if (!next) break;
      if (next.since < oldest)
        this.#waiting = []; // it and all before it will be refused
      else if (isOver(next.request)) continue;
      else if (this.#slots.whyNot(next.request)) skipped.push(next);
      else {
        clearTimeout(next.timer);
        next.go();
        if (usesSlot(next.request)) free -= 1;
      }
    }
    this.#waiting.push(...skipped.reverse());
    if (looks === 0 && free > 0 && skipped.length < MOST_LOOKED_AT) this.#admitSoon();
  }

  of(response: ServerResponse): InProgress | undefined {
    return exchangeOf(response) as InProgress | undefined;
  }

  #refuse(request: InProgress, reason: ServerReason): void {
    const { raw, response } = request;
    if (isOver(request)) return;
    this.#rules.onRefused(reason);
    request.onEnd = undefined;
    if (this.#slots.isStopping) request.endConnection();
    const { status, headers, body } = this.#rules.repliesAt(raw.url ?? '').prepare(raw.url ?? '', reason);
    const retryAfter = RETRY_AFTER[this.#refused++ % RETRY_AFTER.length];
    response.writeHead(status, { ...headers, 'retry-after': String(retryAfter) }).end(body);
  }

  #follow(raw: IncomingMessage, response: ServerResponse, connection: Connection): InProgress {
    const isMonitoring = this.#rules.isMonitoring(raw.url ?? '');
    const request = this.#slots.follow(raw, response, {
      connection,
      origin: this.#originOf(connection, raw),
      isMonitoring,
    });
    if (request.stream) closeBehindAnswer(request.stream);
    // We do not upgrade to other protocols: the request is answered, then the connection closes.
    else if (raw.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    else if (raw.headers['transfer-encoding'] !== undefined) closeUnlessRead(raw, response);
    return request;
  }

  /** Whether one more pipelined HTTP/1.1 request is allowed on this connection. */
  #mayFollow(request: InProgress): boolean {
    const { connection, response } = request;
    if (connection.requests.length <= PIPELINED) return true;
    connection.isClosing = true;
    response.shouldKeepAlive = false;
    setTimeout(() => this.#refuse(request, 'rate-limited'), REFUSE_AFTER_MS).unref();
    return false;
  }

  #originOf(connection: Connection, { headers }: IncomingMessage): Origin | undefined {
    if (!connection.isProxy) return connection.origin;
    const address = this.#rules.peers.callerOf(connection.address, headers);
    return address === connection.address ? undefined : originOf(address);
  }
}

/** The connection ends with an answer that is sent before the last chunk has come: Node would go on to handle each. */
function closeUnlessRead(raw: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  raw.once('end', () => {
    response.shouldKeepAlive = shouldKeepAlive;
  });
}

/** RFC 9113 8.1: does not wait for the rest of an unread body once the answer is sent. */
function closeBehindAnswer(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
