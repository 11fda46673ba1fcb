// Limits what an HTTP/2 connection may send besides requests. Node handles each PING, SETTINGS, PRIORITY or empty DATA frame,
// and limits none of them: a single connection could keep the process busy with them.
import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/**
 * Bytes that belong to no request: at once, and per second. A busy client sends some hundred a second, and more at once if it opens streams
 * before it learns of the limit, which Node refuses in a twentieth of the time of a request.
 */
const BURST_BYTES = 128 * 1024;
const BYTES_PER_SECOND = 16 * 1024;
/** Frames that Node reports: at once, and per second. Many arrive in one read, so they are counted as they come. */
const BURST_FRAMES = 500;
const FRAMES_PER_SECOND = 100;
/** Requests that the caller cancels: at once, as a multiple of those it may have at a time, and per second. Each costs as much as any other. */
const CANCELLED = 4;
const CANCELLED_PER_SECOND = 33;
/** For the frames around a request. */
const REQUEST_OVERHEAD = 256;
/** For the caller to learn why. */
const LINGER_MS = 500;

export class FrameBudget {
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  #read = 0;
  #surplus = 0;
  #frames = 0;
  #cancelled = 0;
  /** The most that one request was allowed. */
  #largest = 0;
  #lookedAt = performance.now();

  constructor(session: ServerHttp2Session, socket: Socket) {
    this.#session = session;
    this.#socket = socket;
    const count = () => this.count();
    for (const event of ['ping', 'remoteSettings', 'priority']) session.on(event, count);
  }

  /** A request has come, which may use this many bytes. */
  request(bytes: number): void {
    const allowed = bytes + REQUEST_OVERHEAD;
    this.#surplus -= allowed;
    this.#largest = Math.max(this.#largest, allowed);
  }

  /** A request was cancelled before its answer was sent. Node notices a flood only after it has read on for a while. */
  cancel(concurrent: number): void {
    this.#cancelled += 1;
    if (this.#cancelled > concurrent * CANCELLED) this.#end();
  }

  /** Called periodically. `open`: requests in progress. What earlier ones did not use is forfeited. */
  look(now: number, open: number): void {
    const seconds = (now - this.#lookedAt) / 1000;
    this.#lookedAt = now;
    const received = this.#socket.bytesRead - this.#read;
    this.#read += received;
    this.#surplus += received;
    if (this.#surplus > 0) this.#surplus = Math.max(0, this.#surplus - seconds * BYTES_PER_SECOND);
    else this.#surplus = Math.max(this.#surplus, -open * this.#largest);
    this.#frames = Math.max(0, this.#frames - seconds * FRAMES_PER_SECOND);
    this.#cancelled = Math.max(0, this.#cancelled - seconds * CANCELLED_PER_SECOND);
    if (this.#surplus > BURST_BYTES) this.#end();
  }

  /** A frame that is no request has come. */
  count(): void {
    this.#frames += 1;
    if (this.#frames > BURST_FRAMES) this.#end();
  }

  #end(): void {
    if (this.#session.destroyed) return;
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#session.destroy();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref(); // a caller that does not read would keep it open
  }
}
