// Limits what an HTTP/2 connection may send besides requests. Node handles each PING, SETTINGS, PRIORITY or empty DATA frame,
// and limits none of them: a single connection could keep the process busy with them.
import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** Bytes that belong to no request: at once, and per second. A busy client sends some hundred a second. */
const BURST_BYTES = 64 * 1024;
const BYTES_PER_SECOND = 16 * 1024;
/** Frames that Node reports: at once, and per second. Many arrive in one read, so they are counted as they come. */
const BURST_FRAMES = 500;
const FRAMES_PER_SECOND = 100;
/** For the frames around a request. */
const REQUEST_OVERHEAD = 256;
/** For a stream that Node itself refuses, in a twentieth of the time of a request. Honest callers open some before they learn of a lower
 * limit. */
const REFUSED_STREAM = { bytes: 2048, frames: 0.5 };
/** For the caller to learn why. */
const LINGER_MS = 500;

export class FrameBudget {
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  #read = 0;
  #surplus = 0;
  #frames = 0;
  #lastStream = -1;
  #lookedAt = performance.now();

  constructor(session: ServerHttp2Session, socket: Socket) {
    this.#session = session;
    this.#socket = socket;
    const count = () => this.#countFrame();
    for (const event of ['ping', 'remoteSettings', 'priority']) session.on(event, count);
  }

  /** A request has come, which may use this many bytes. Node refused the streams whose numbers are missing before it. */
  request({ id = this.#lastStream + 2 }: { readonly id?: number | undefined }, bytes: number): void {
    const refused = (id - this.#lastStream) / 2 - 1;
    this.#lastStream = id;
    this.#surplus -= bytes + REQUEST_OVERHEAD + refused * REFUSED_STREAM.bytes;
    this.#frames += refused * REFUSED_STREAM.frames;
    if (this.#frames > BURST_FRAMES) setImmediate(() => this.#end()); // not while the request is being admitted
  }

  /** Called periodically. `isIdle`: no request is open, so what earlier ones did not use is forfeited. */
  look(now: number, isIdle: boolean): void {
    const seconds = (now - this.#lookedAt) / 1000;
    this.#lookedAt = now;
    const received = this.#socket.bytesRead - this.#read;
    this.#read += received;
    this.#surplus += received;
    if (this.#surplus > 0) this.#surplus = Math.max(0, this.#surplus - seconds * BYTES_PER_SECOND);
    else if (isIdle) this.#surplus = 0;
    this.#frames = Math.max(0, this.#frames - seconds * FRAMES_PER_SECOND);
    if (this.#surplus > BURST_BYTES) this.#end();
  }

  #countFrame(): void {
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
