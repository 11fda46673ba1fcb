// Many callers on one HTTP/2 connection, as behind a gateway.
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { Ask, Heard, Line, Place } from './line.ts';

const { HTTP2_HEADER_PATH: PATH, HTTP2_HEADER_STATUS: STATUS, NGHTTP2_REFUSED_STREAM } = constants;

/** Checks tokens only. */
export function streamLines(place: Place, count: number): Line[] {
  const shared = new SharedSession(place);
  return Array.from({ length: count }, () => new StreamLine(shared));
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
  isBusy = false;

  constructor(shared: SharedSession) {
    this.#shared = shared;
  }

  get isHeld(): boolean {
    return this.#shared.open >= this.#shared.most;
  }

  ask({ path, token }: Ask, heard: Heard): void {
    this.isBusy = true;
    this.#shared.open += 1;
    let status = 0;
    const stream = this.#shared.session.request({ [PATH]: path, authorization: `Bearer ${token}` });
    stream.on('response', (headers) => {
      status = Number(headers[STATUS]);
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      this.isBusy = false;
      this.#shared.open -= 1;
      heard(stream.rstCode === NGHTTP2_REFUSED_STREAM ? 503 : status, '');
    });
    stream.resume();
  }

  close(): void {
    this.#shared.close();
  }
}
