// Bounds the parts in which a reply comes. Node handles each chunk, each interim response (1xx) and each TLS record with data by itself: a
// server that sends them without end, a byte or a line at a time, would keep the event loop busy with little traffic.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const MOST_INTERIM = 100;
/** Any reply may come in this many pieces. If there are more, they must have this many bytes on average. */
const PIECES = 2000;
const PIECE_BYTES = 256;
/** Headers and what surrounds the body, if that is not much longer than the body. */
const OVERHEAD_BYTES = 128 * 1024;

/** For each new request. A reply with too many parts fails, as if its connection had been lost. */
export function boundReply(request: ClientRequest): void {
  const reply = new Reply(request);
  // Node parses the rest of what it has read after the first error, and may find another.
  request.on('error', () => undefined);
  request.on('information', () => reply.interim());
  request.once('response', (response) => reply.watch(response));
  request.once('socket', (socket: Socket) => {
    const count = (read: Buffer) => reply.read(read.length);
    socket.on('data', count);
    request.once('close', () => socket.off('data', count)); // it may be used for the next request
  });
}

class Reply {
  readonly #request: ClientRequest;
  readonly #reads = new Pieces();
  readonly #body = new Pieces();
  #interim = 0;
  #response: IncomingMessage | undefined;
  #failure: Error | undefined;

  constructor(request: ClientRequest) {
    this.#request = request;
  }

  interim(): void {
    this.#interim += 1;
    if (this.#interim > MOST_INTERIM) this.#fail(`it has more than ${MOST_INTERIM} interim responses`);
  }

  /** What the connection has read, with everything around the body. */
  read(length: number): void {
    this.#reads.add(length);
    if (this.#reads.areTooSmall) this.#fail(TOO_SMALL);
    if (this.#reads.bytes > OVERHEAD_BYTES + 4 * this.#body.bytes) this.#fail('it has too little content');
  }

  watch(response: IncomingMessage): void {
    // Node parses the rest of what it has read, also of a request that was destroyed.
    if (this.#failure) return void response.destroy(this.#failure);
    this.#response = response;
    // Unlike `on`, this does not start the flow: whoever reads the body does.
    response.prependListener('data', (piece: Buffer) => {
      this.#body.add(piece.length);
      if (this.#body.areTooSmall) this.#fail(TOO_SMALL);
    });
  }

  #fail(why: string): void {
    if (this.#failure) return;
    this.#failure = new Error(why);
    (this.#response ?? this.#request).destroy(this.#failure);
  }
}

const TOO_SMALL = `it comes in more than ${PIECES} pieces of a few bytes`;

class Pieces {
  bytes = 0;
  #count = 0;

  add(length: number): void {
    this.bytes += length;
    this.#count += 1;
  }

  get areTooSmall(): boolean {
    return this.#count > PIECES && this.bytes < this.#count * PIECE_BYTES;
  }
}
