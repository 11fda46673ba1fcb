// Answers malformed requests, those that never reach fastify too, in JSON like any other refusal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { NEUTRAL_REPLIES, type PreparedRefusal, withAllow } from '../doors/http/refusal-replies.ts';
import { TRANSPORT_WORDS, type TransportReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import type { Connection } from './in-progress.ts';
import { LINGER_MS } from './limits.ts';

// Not an import statement: that reads every export of node:http, and one of them loads the HTTP client behind fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const REASONS: Readonly<Record<string, TransportReason>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

/** How a request with an unknown method is refused, by its target. */
type RefuseMethod = (target: string) => PreparedRefusal;

const CONNECT_REFUSAL = withAllow(NEUTRAL_REPLIES.prepare('', 'method-not-allowed'), 'GET, POST');

/** Thrown to the door whose request broke while its body arrived. */
export class BrokenRequest extends Error {
  override readonly name = 'BrokenRequest';
  readonly reason: TransportReason;

  constructor(reason: TransportReason) {
    super(reason);
    this.reason = reason;
  }
}

export function answerBrokenRequests(server: Server, connections: Connections, refuseMethod: RefuseMethod): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const connection = connections.at(socket);
    // After a TLS handshake that failed or took too long, nothing can be answered.
    const isUnanswerable = error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)_/.test(error.code ?? '');
    if (isUnanswerable || !socket.writable || !connection) return void socket.destroy();
    const target = error.code === 'HPE_INVALID_METHOD' ? targetOf(error) : undefined;
    answerOnce(socket, connection, error.code ?? '', target === undefined ? undefined : refuseMethod(target));
  });
  // RFC 9110 9.3.6: we are not a proxy. Node would close the connection without an answer.
  server.on('connect', (request: IncomingMessage, other: Socket | ServerResponse) => {
    if ('writeHead' in other) return answerConnectStream(request, other);
    other.on('error', () => other.destroy()); // Node has removed its own listener, and an error without one ends the process
    const connection = connections.at(other);
    if (connection) answerInTurn(other, connection, () => answerSocket(other, CONNECT_REFUSAL));
    else other.destroy();
  });
  // RFC 9110 10.1.1: unknown expectations may be ignored. Node would answer without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/2 passes a response here; HTTP/1 passes the socket. */
function answerConnectStream(request: IncomingMessage, response: ServerResponse): void {
  const { stream } = request as unknown as { stream: ServerHttp2Stream };
  const { status, headers, body } = CONNECT_REFUSAL;
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
  response.writeHead(status, headers).end(body);
  stream.session?.close();
}

/** A request that broke in its body already has a response, and its door answers it. Others are answered here. */
function answerOnce(socket: Socket, connection: Connection, code: string, refusal?: PreparedRefusal): void {
  if (connection.isClosing) return;
  const reason = REASONS[code] ?? 'request-malformed';
  const broken = connection.requests.find(({ raw }) => !raw.complete);
  if (!broken) {
    answerInTurn(socket, connection, () =>
      answerSocket(socket, refusal ?? NEUTRAL_REPLIES.prepare('', reason), TRANSPORT_WORDS[reason].text),
    );
    return;
  }
  connection.isClosing = true;
  if (code === 'HPE_INVALID_EOF_STATE') return void socket.destroy(); // the caller went away
  broken.response.shouldKeepAlive = false;
  if (broken.raw.listenerCount('error') > 0) broken.raw.emit('error', new BrokenRequest(reason));
  // The answer is out already: close without waiting for the rest.
  else socket.destroySoon();
}

/** Answers after the pending answers on this connection, as the last one. */
function answerInTurn(socket: Socket, connection: Connection, answer: () => void): void {
  if (connection.isClosing) return;
  connection.isClosing = true;
  if (connection.requests.length === 0) answer();
  else {
    connection.whenIdle = () => (socket.writable ? answer() : socket.destroy());
    socket.resume(); // nobody reads after a CONNECT, and a caller that goes away would not be noticed
  }
}

function answerSocket(socket: Socket, { status, headers, body }: PreparedRefusal, phraseOf400?: string): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = status === 400 ? phraseOf400 : STATUS_CODES[status];
  // Closing at once could lose the answer while the caller is still sending; not closing would hold a connection.
  const closeIn = (milliseconds: number) => setTimeout(() => socket.destroy(), milliseconds).unref();
  closeIn(LINGER_MS.unsent);
  socket.once('finish', () => closeIn(LINGER_MS.sent));
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`);
}

/**
 * Node takes HTTP/0.9 and 2.0 in a first line, too. RFC 9112 3.2: a request of HTTP/1.1 has exactly one Host. No request has two types
 * (RFC 9110 8.3), of which Node would drop one, or two credentials: a gateway might judge the other one. We decode no transfer coding but
 * chunked, and a gateway might; HTTP/1.0 has none (RFC 9112 6.1).
 */
export function whyMalformed(request: IncomingMessage): TransportReason | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders } = request;
  const isHttp11 = httpVersionMajor === 1 && httpVersionMinor === 1;
  if (httpVersionMajor !== 1 && !('stream' in request)) return 'request-malformed';
  let [hosts, types, credentials] = [0, 0, 0];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
    else if (
      name.length === 17 &&
      name.toLowerCase() === 'transfer-encoding' &&
      !(isHttp11 && rawHeaders[at + 1]?.toLowerCase() === 'chunked')
    )
      return 'request-malformed';
  }
  if (credentials > 1) return 'request-malformed';
  if (hosts !== 1 && isHttp11) return 'request-malformed';
  return types > 1 ? 'content-type-repeated' : undefined;
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that were being parsed. Earlier requests of the connection may come first. */
  readonly rawPacket?: Buffer;
  /** Where in them the parser stopped. */
  readonly bytesParsed?: number;
}

const LINE_FEED = 0x0a;
/** RFC 9112 3: a method is a token (RFC 9110 5.6.2), and a target has no whitespace. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ ([\x21-\x7e]+) HTTP\/1\.[01]\r?$/;

/** The target of the request. Undefined if this is no request line, or its end has not arrived. */
function targetOf({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (!rawPacket) return undefined;
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(LINE_FEED, bytesParsed - 1) + 1;
  const end = rawPacket.indexOf(LINE_FEED, start);
  return end < 0 ? undefined : REQUEST_LINE.exec(rawPacket.toString('latin1', start, end))?.[1];
}
