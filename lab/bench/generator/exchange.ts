// HTTP/1.1 on a bare socket: one request at a time, answers delimited by Content-Length. An HTTP client would cost more
// than most servers under test.
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
    const bodyAt = headEnd + 4;
    if (text.length < bodyAt + lengthOf(text)) return;
    this.#text = '';
    this.#heard(Number(text.slice(9, 12)), text.slice(bodyAt));
  }
}

function lengthOf(text: string): number {
  const found = /content-length: *(\d+)/i.exec(text);
  if (!found) throw new Error(`an answer without Content-Length: ${text.slice(0, 200)}`);
  return Number(found[1]);
}
