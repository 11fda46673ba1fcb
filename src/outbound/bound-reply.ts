// Bounds the parts in which a reply comes. Node handles each chunk, and each interim response (1xx), by itself: a server that sends them
// without end, a byte or a line at a time, would keep the event loop busy with little traffic.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const MOST_INTERIM = 100;
/** Any reply may come in so many pieces. If there are more, they have at least so many bytes on average. */
const PIECES = 2000;
const PIECE_BYTES = 256;

/** For each new request. A reply with too many parts fails, as if its connection had been lost. */
export function boundReply(request: ClientRequest): void {
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim <= MOST_INTERIM) return;
    request.destroy(new Error(`it has more than ${MOST_INTERIM} interim responses`));
    stopParsing(request.socket);
  });
  request.once('response', boundPieces);
}

function boundPieces(response: IncomingMessage): void {
  const push = response.push.bind(response);
  let [pieces, bytes, isOver] = [0, 0, false];
  response.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
    if (isOver) return true;
    if (piece === null) return push(null);
    pieces += 1;
    bytes += piece.length;
    isOver = pieces > PIECES && bytes < pieces * PIECE_BYTES;
    if (!isOver) return push(piece, encoding);
    response.destroy(new Error(`it comes in more than ${PIECES} pieces of a few bytes`));
    return true;
  };
}

/** Node would parse the rest of what it has read. Its parser ends if it is told that another protocol follows. */
function stopParsing(socket: (Socket & { parser?: { onIncoming?: () => number } | null }) | null): void {
  if (socket?.parser) socket.parser.onIncoming = () => ANOTHER_PROTOCOL;
}

const ANOTHER_PROTOCOL = 2;
