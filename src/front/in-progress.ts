// A request in progress, and the connection that it came on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Exchange } from '../doors/http/answers.ts';
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import type { Origin } from './shares.ts';

export interface Connection {
  /** As it was accepted: below TLS and HTTP/2. */
  readonly socket: Socket;
  readonly address: string;
  readonly origin: Origin | undefined;
  /** A listed proxy: its requests count for the addresses that it forwards. */
  readonly isProxy: boolean;
  /** In the order of arrival. Usually one. */
  readonly requests: InProgress[];
  readonly openedAt: number;
  /** When its last request ended, or it was opened. */
  idleSince: number;
  session: ServerHttp2Session | undefined;
  /** No further request on it is answered. */
  isClosing: boolean;
  /** Called once, when the last request in progress has been answered. */
  whenIdle: (() => void) | undefined;
}

interface SlotKeeper {
  readonly isStopping: boolean;
  keepStreaming(request: InProgress, end: () => void, follower: string): ServerReason | undefined;
  release(request: InProgress): void;
}

/** A request from its headers until its answer is sent or its caller is gone. */
export class InProgress implements Exchange {
  readonly connection: Connection;
  readonly origin: Origin | undefined;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly stream: ServerHttp2Stream | undefined;
  readonly isMonitoring: boolean;
  readonly since = performance.now();
  readonly #keeper: SlotKeeper;
  holds: 'nothing' | 'a slot' | 'a monitoring slot' | 'an event stream' | 'nothing any more' = 'nothing';
  /** When its answer was ready, or first seen to be on its way. */
  answeredAt: number | undefined;
  /** `isAnswered`: false if the caller went away before the answer was sent. */
  onEnd: ((isAnswered: boolean, milliseconds: number) => void) | undefined;
  /** Ends a response that would otherwise stay open. */
  endEvents: (() => void) | undefined;
  /** Who gets its stream. */
  follower = '';
  #isClosed = false;

  constructor(
    keeper: SlotKeeper,
    raw: IncomingMessage,
    response: ServerResponse,
    { connection, origin, isMonitoring }: Whose,
  ) {
    this.#keeper = keeper;
    this.raw = raw;
    this.response = response;
    this.stream = (raw as { stream?: ServerHttp2Stream }).stream;
    this.connection = connection;
    this.origin = origin;
    this.isMonitoring = isMonitoring;
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
    if (!this.stream || this.#isClosed) this.connection.socket.destroy();
    else this.stream.close(constants.NGHTTP2_CANCEL);
    this.#isClosed = true;
  }

  /** Before its answer is sent: asks the caller to use another connection from now on. */
  endConnection(): void {
    // GOAWAY precedes the response, so a caller that waits for it sends nothing into a closing session.
    if (this.stream) this.stream.session?.close();
    // Not while pipelined requests wait behind this one.
    else if (this.connection.requests.at(-1) === this) this.response.shouldKeepAlive = false;
  }

  get isAnswered(): boolean {
    if (this.#isClosed) return false;
    // An HTTP/2 response reports finished even if it was cut off; its stream does not.
    return this.stream ? this.stream.writableFinished && !this.stream.aborted : this.response.writableFinished;
  }
}

export type Whose = Pick<InProgress, 'connection' | 'origin' | 'isMonitoring'>;
