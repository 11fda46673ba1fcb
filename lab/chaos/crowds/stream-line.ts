// Many callers on one HTTP/2 connection, as behind a gateway.
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { type Ask, CLOSED, type Heard, type Line, type Place } from './line.ts';

const { HTTP2_HEADER_PATH: PATH, HTTP2_HEADER_STATUS: STATUS, NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** The status of a request that the caller cancelled itself. */
export const CANCELLED = 499;
const DEADLINE_MS = 1;

/** Checks tokens only. `cancelEvery`: each such request of a caller is cancelled if it is not answered within a millisecond. */
export function streamLines(place: Place, count: number, cancelEvery = Number.POSITIVE_INFINITY): Line[] {
  const shared = new SharedSession(place);
  return Array.from({ length: count }, () => new StreamLine(shared, cancelEvery));
}

class SharedSession {
  readonly #place: Place;
  #session: ClientHttp2Session | undefined;
  open = 0;
  /** How many streams the service allows. */
  most = 1;

  constructor(place: Place) {
    this.#place = place;
  }

  get session(): ClientHttp2Session {
    this.#session ??= this.#connect();
    return this.#session;
  }

  close(): void {
    this.#session?.destroy();
  }

  #connect(): ClientHttp2Session {
    const { port, secure, from } = this.#place;
    const tls = { host: '127.0.0.1', servername: 'localhost', secureContext: secure, localAddress: from };
    const session = connect(`https://localhost:${port}`, tls);
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.most = maxConcurrentStreams ?? this.most;
    });
    session.on('error', () => undefined);
    session.on('close', () => {
      this.#session = undefined;
    });
    return session;
  }
}

class StreamLine implements Line {
  readonly #shared: SharedSession;
  readonly #cancelEvery: number;
  #asked = 0;
  isBusy = false;

  constructor(shared: SharedSession, cancelEvery: number) {
    [this.#shared, this.#cancelEvery] = [shared, cancelEvery];
  }

  get isHeld(): boolean {
    return this.#shared.open >= this.#shared.most;
  }

  ask({ path, token }: Ask, heard: Heard): void {
    this.isBusy = true;
    this.#shared.open += 1;
    let [status, retryAfter]: [number, string?] = [CLOSED];
    const stream = this.#shared.session.request({ [PATH]: path, authorization: `Bearer ${token}` });
    stream.on('response', (headers) => {
      [status, retryAfter] = [Number(headers[STATUS]), headers['retry-after']];
    });
    stream.on('error', () => undefined);
    this.#asked += 1;
    const cancel = () => {
      status ||= CANCELLED;
      stream.close(NGHTTP2_CANCEL);
    };
    const deadline = this.#asked % this.#cancelEvery === 0 ? setTimeout(cancel, DEADLINE_MS) : undefined;
    stream.on('close', () => {
      clearTimeout(deadline);
      this.isBusy = false;
      this.#shared.open -= 1;
      heard(stream.rstCode === NGHTTP2_REFUSED_STREAM ? 503 : status, '', retryAfter);
    });
    stream.resume();
  }

  close(): void {
    this.#shared.close();
  }
}
