// HTTP/1.1 on a bare socket: one request at a time, answers delimited by Content-Length or in chunks. An HTTP client would cost
// more than most servers under test.
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';

export interface Address {
  readonly port: number;
  readonly secure?: SecureContext | undefined;
}

type Heard = (status: number, body: string) => void;

export class Exchange {
  readonly #socket: Socket;
  #text = '';
  #heard: Heard = () => undefined;

  private constructor(socket: Socket, failed: (fault: Error) => void) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', failed);
    socket.on('end', () => failed(new Error('the server closed a connection')));
  }

  /** Rejects if there is no connection; `failed` is called for a fault at any time. */
  static open({ port, secure }: Address, failed: (fault: Error) => void): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const socket: Socket = secure
        ? connectTls({ port, host: '127.0.0.1', servername: 'localhost', secureContext: secure }, () =>
            resolve(exchange),
          )
        : connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(exchange));
      const exchange = new Exchange(socket, (fault) => {
        reject(fault);
        failed(fault);
      });
    });
  }

  send(request: string, heard: Heard): void {
    this.#heard = heard;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.removeAllListeners('end').removeAllListeners('error');
    this.#socket.on('error', () => undefined);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    const text = this.#text;
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const body = bodyOf(text, headEnd + 4);
    if (body === undefined) return;
    this.#text = '';
    this.#heard(Number(text.slice(9, 12)), body);
  }
}

/** Undefined while a part of it is missing. */
function bodyOf(text: string, from: number): string | undefined {
  const found = /\r\ncontent-length: *(\d+)/i.exec(text);
  if (found) return text.length < from + Number(found[1]) ? undefined : text.slice(from);
  if (!/\r\ntransfer-encoding: *chunked/i.test(text))
    throw new Error(`an answer without a length: ${text.slice(0, 200)}`);
  let body = '';
  for (let at = from; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (lineEnd < 0 || text.length < end + 2) return undefined;
    if (size === 0) return body;
    body += text.slice(lineEnd + 2, end);
    at = end + 2;
  }
}
