// A request in progress, and the connection that it came on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { type Exchange, exchangeOf } from '../doors/http/answers.ts';
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import { streamOf } from './http2.ts';
import type { Origin } from './shares.ts';

export interface Connection {
  /** As it was accepted: below TLS and HTTP/2. */
  readonly socket: Socket;
  readonly address: string;
  readonly origin: Origin;
  /** A listed proxy: its requests count for the addresses that it forwards. */
  readonly isProxy: boolean;
  /** In the order of arrival. Usually one. */
  readonly requests: InProgress[];
  /** When its last request ended, or it was opened. */
  idleSince: number;
  session: ServerHttp2Session | undefined;
  /** No further request on it is answered. */
  isClosing: boolean;
  /** A request of it could not be read to its end. */
  isBroken: boolean;
}

interface Keeper {
  readonly isStopping: boolean;
  keepStreaming(request: InProgress, end: () => void, follower: string): ServerReason | undefined;
  release(request: InProgress): void;
}

/** In a line for a slot. */
export interface Wait {
  line: string;
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** A request from its headers until its answer is sent or its caller is gone. */
export class InProgress implements Exchange {
  readonly connection: Connection;
  readonly origin: Origin;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly stream: ServerHttp2Stream | undefined;
  readonly since = performance.now();
  readonly #keeper: Keeper;
  hasSlot = false;
  wait: Wait | undefined;
  /** When its answer was ready, or its caller was gone. It takes no slot from then on. */
  answeredAt: number | undefined;
  /** Whether its answer is ready but not sent, and its neighbours among those (unread.ts). */
  isUnread = false;
  unreadBefore: InProgress | undefined;
  unreadAfter: InProgress | undefined;
  /** `isAnswered`: false if the caller went away before the answer was sent. */
  onEnd: ((isAnswered: boolean, milliseconds: number) => void) | undefined;
  /** Ends a response that would otherwise stay open. */
  endEvents: (() => void) | undefined;
  /** What its stream of events counts for. */
  follows: Origin | undefined;
  #isCut = false;

  constructor(
    keeper: Keeper,
    raw: IncomingMessage,
    response: ServerResponse,
    { connection, origin }: Pick<InProgress, 'connection' | 'origin'>,
  ) {
    this.#keeper = keeper;
    this.raw = raw;
    this.response = response;
    this.stream = streamOf(raw);
    this.connection = connection;
    this.origin = origin;
  }

  staysOpen(): boolean {
    return !this.stream && !this.#keeper.isStopping;
  }

  keepStreaming(end: () => void, follower: string): ServerReason | undefined {
    return this.#keeper.keepStreaming(this, end, follower);
  }

  release(): void {
    this.#keeper.release(this);
  }

  disconnect(): void {
    if (!this.stream || this.#isCut) this.connection.socket.destroy();
    else this.stream.close(constants.NGHTTP2_CANCEL);
    this.#isCut = true;
  }

  /** Before its answer is sent while the server stops: asks the caller to use another connection from now on. */
  endConnection(): void {
    // GOAWAY precedes the response, so a caller that waits for it sends nothing into a closing session.
    if (this.stream) this.stream.session?.close();
    // Not while pipelined requests wait behind this one.
    else if (this.connection.requests.at(-1) === this) this.response.shouldKeepAlive = false;
  }

  get isAnswered(): boolean {
    if (this.#isCut) return false;
    // An HTTP/2 response reports finished even if it was cut off; its stream does not.
    return this.stream ? this.stream.writableFinished && !this.stream.aborted : this.response.writableFinished;
  }
}

/** Attached to every response before fastify gets it. */
export function inProgress(response: ServerResponse): InProgress {
  return exchangeOf(response) as InProgress;
}
