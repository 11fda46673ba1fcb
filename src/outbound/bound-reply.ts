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

const TOO_SMALL = `it comes in more than ${PIECES} pieces of a few bytes`;

/** For each new request. A reply with too many parts fails, as if its connection had been lost. */
export function boundReply(request: ClientRequest): void {
  const [reads, body] = [
    { bytes: 0, count: 0 },
    { bytes: 0, count: 0 },
  ];
  let interim = 0;
  let reply: ClientRequest | IncomingMessage = request;
  let failure: Error | undefined;
  const fail = (why: string) => {
    if (failure) return;
    failure = new Error(why);
    reply.destroy(failure);
  };
  const add = (pieces: typeof reads, { length }: Buffer) => {
    pieces.bytes += length;
    pieces.count += 1;
    if (pieces.count > PIECES && pieces.bytes < pieces.count * PIECE_BYTES) fail(TOO_SMALL);
  };
  // Node parses the rest of what it has read after the first error, and may find another.
  request.on('error', () => undefined);
  request.on('information', () => {
    interim += 1;
    if (interim > MOST_INTERIM) fail(`it has more than ${MOST_INTERIM} interim responses`);
  });
  request.once('response', (response) => {
    // Node parses the rest of what it has read, also of a request that was destroyed.
    if (failure) return void response.destroy(failure);
    reply = response;
    // Unlike `on`, this does not start the flow; reading the body does.
    response.prependListener('data', (piece: Buffer) => add(body, piece));
  });
  request.once('socket', (socket: Socket) => {
    const count = (read: Buffer) => {
      add(reads, read);
      if (reads.bytes > OVERHEAD_BYTES + 4 * body.bytes) fail('it has too little content');
    };
    socket.on('data', count);
    request.once('close', () => socket.off('data', count)); // it may be used for the next request
  });
}
