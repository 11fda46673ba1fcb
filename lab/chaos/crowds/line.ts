// One caller on a kept connection, reconnected when the service closes.
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

export interface Ask {
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
}

/** The service closed an open connection without an answer. */
export const CLOSED = 0;
/** The connection was refused, or closed before its handshake was complete: nothing was sent. */
export const NOT_CONNECTED = -1;

/** `status` may also be one of the above. */
export type Heard = (status: number, body: string, retryAfter?: string) => void;

export interface Line {
  readonly isBusy: boolean;
  /** Whether the service allows no further request on this connection at the moment. */
  readonly isHeld: boolean;
  ask(request: Ask, heard: Heard): void;
  close(): void;
}

export interface Place {
  readonly port: number;
  readonly secure: SecureContext;
  /** The caller's loopback address. */
  readonly from: string;
}

/** HTTP/1.1 on a bare socket. */
export class SocketLine implements Line {
  readonly isHeld = false;
  readonly #place: Place;
  #socket: TLSSocket | undefined;
  #text = '';
  #heard: Heard | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get isBusy(): boolean {
    return this.#heard !== undefined;
  }

  ask(request: Ask, heard: Heard): void {
    this.#heard = heard;
    this.#socket ??= this.#open();
    this.#socket.write(textOf(request), 'latin1');
  }

  close(): void {
    this.#heard = undefined;
    this.#socket?.destroy();
  }

  #open(): TLSSocket {
    const { port, secure, from } = this.#place;
    const options = { port, host: '127.0.0.1', servername: 'localhost', secureContext: secure, localAddress: from };
    const socket = connect(options);
    let status = NOT_CONNECTED;
    socket.on('secureConnect', () => {
      status = CLOSED;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#leave(status);
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk.toString('latin1')));
    return socket;
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const bodyAt = this.#text.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const [, length] = /content-length: *(\d+)/i.exec(this.#text) ?? [];
    if (this.#text.length < bodyAt + Number(length)) return;
    const [head, body] = [this.#text.slice(0, bodyAt), this.#text.slice(bodyAt)];
    this.#text = '';
    if (/^connection: *close/im.test(head)) {
      this.#socket?.end();
      this.#socket = undefined;
    }
    this.#answer(Number(head.slice(9, 12)), body, /^retry-after: *(\S+)/im.exec(head)?.[1]);
  }

  #leave(status: number): void {
    this.#socket = undefined;
    this.#text = '';
    this.#answer(status, '');
  }

  #answer(status: number, body: string, retryAfter?: string): void {
    const heard = this.#heard;
    this.#heard = undefined;
    heard?.(status, body, retryAfter);
  }
}

function textOf({ path, token, body }: Ask): string {
  if (body === undefined) return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
