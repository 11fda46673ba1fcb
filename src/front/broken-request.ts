// Answers requests that fastify does not get, or that break in their body, in JSON like any other refusal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { prepareRefusal } from '../doors/http/refusal-replies.ts';
import { TRANSPORT_WORDS, type TransportReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import { streamOf } from './http2.ts';
import type { Connection } from './in-progress.ts';

// Not an import statement: that reads every export of node:http, and one of them loads the HTTP client behind fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** How long a connection stays open after its last answer: closing at once could lose it while the caller is still sending. */
const LINGER_MS = 2_000;

const REASONS: Readonly<Record<string, TransportReason>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

/** Thrown to the door whose request broke while its body arrived. */
export class BrokenRequest extends Error {
  override readonly name = 'BrokenRequest';
  readonly reason: TransportReason;

  constructor(reason: TransportReason) {
    super(reason);
    this.reason = reason;
  }
}

export function answerBrokenRequests(server: Server, connections: Connections): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const connection = connections.at(socket);
    // After a TLS handshake that failed or took too long, nothing can be answered.
    const isUnanswerable = error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)_/.test(error.code ?? '');
    if (isUnanswerable || !socket.writable || !connection) socket.destroy();
    else if (!connection.isClosing || isIncomplete(connection)) answerOrBreak(error, socket, connection);
  });
  // RFC 9110 9.3.6: we are not a proxy. Node would close the connection without an answer.
  server.on('connect', (request: IncomingMessage, other: Socket | ServerResponse) => {
    if ('writeHead' in other) {
      answerConnectStream(request, other);
      return;
    }
    other.on('error', () => other.destroy()); // Node has removed its own listener, and an error without one ends the process
    const connection = connections.at(other);
    if (!connection || connection.isClosing) return void other.destroy();
    answerLast(other, connection, 'method-not-allowed');
    other.resume(); // nobody reads after a CONNECT, and a caller that goes away would not be noticed
  });
  // RFC 9110 10.1.1: unknown expectations may be ignored. Node would answer without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/2 passes a response here; HTTP/1 passes the socket. */
function answerConnectStream(request: IncomingMessage, response: ServerResponse): void {
  const stream = streamOf(request);
  const { status, headers, body } = prepareRefusal('method-not-allowed');
  stream?.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
  response.writeHead(status, headers).end(body);
  stream?.session?.close();
}

/** The last one of a connection may take too long, too: Node says so once. */
function isIncomplete({ isBroken, requests }: Connection): boolean {
  return !isBroken && requests.some(({ raw }) => !raw.complete);
}

/** A request that broke in its body already has a response, and its door answers it. Others are answered here. */
function answerOrBreak(error: ParserError, socket: Socket, connection: Connection): void {
  const reason = REASONS[error.code ?? ''] ?? 'request-malformed';
  const broken = connection.requests.find(({ raw }) => !raw.complete);
  if (!broken) {
    answerLast(socket, connection, isUnknownMethod(error) ? 'method-not-allowed' : reason);
    return;
  }
  connection.isClosing = true;
  connection.isBroken = true;
  if (error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy(); // the caller went away
  broken.response.shouldKeepAlive = false;
  if (broken.raw.listenerCount('error') > 0) broken.raw.emit('error', new BrokenRequest(reason));
  // The answer is out already: close without waiting for the rest.
  else socket.destroySoon();
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that were being parsed. Earlier requests of the connection may come first. */
  readonly rawPacket?: Buffer;
  /** Where in them the parser stopped. */
  readonly bytesParsed?: number;
}

/** RFC 9112 3: a method is a token (RFC 9110 5.6.2), and a target has no whitespace. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e]+ HTTP\/1\.[01]\r?\n/;

function isUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return false;
  const before = rawPacket.toString('latin1', 0, bytesParsed);
  return REQUEST_LINE.test(rawPacket.toString('latin1', before.lastIndexOf('\n') + 1));
}

/** Answers after the pending answers of this connection, and ends it. */
function answerLast(socket: Socket, connection: Connection, reason: TransportReason): void {
  connection.isClosing = true;
  const last = connection.requests.at(-1);
  if (last) last.response.once('close', () => answerSocket(socket, reason));
  else answerSocket(socket, reason);
}

function answerSocket(socket: Socket, reason: TransportReason): void {
  const { status, headers, body } = prepareRefusal(reason);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = status === 400 ? TRANSPORT_WORDS[reason].text : STATUS_CODES[status];
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`);
}

/**
 * Node takes HTTP/0.9 and 2.0 in a first line, too. RFC 9112 3.2: a request of HTTP/1.1 has exactly one Host. No request has two types
 * (RFC 9110 8.3), of which Node would drop one, or two credentials: a gateway might judge the other one. We decode no transfer coding but
 * chunked, and a gateway might; HTTP/1.0 has none (RFC 9112 6.1).
 */
export function whyMalformed(request: IncomingMessage): TransportReason | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders, headers } = request;
  const isHttp11 = httpVersionMajor === 1 && httpVersionMinor === 1;
  const count = (name: string) =>
    rawHeaders.filter((text, at) => at % 2 === 0 && text.length === name.length && text.toLowerCase() === name).length;
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (httpVersionMajor !== 1 && !streamOf(request)) return 'request-malformed';
  if (isHttp11 && count('host') !== 1) return 'request-malformed';
  if (count('authorization') > 1) return 'request-malformed';
  if (coding !== undefined && !(isHttp11 && coding === 'chunked')) return 'request-malformed';
  return count('content-type') > 1 ? 'content-type-repeated' : undefined;
}
