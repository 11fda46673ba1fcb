// Answers malformed requests that never reach fastify, in JSON like any other refusal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Gate } from './gate.ts';
import { JSON_HEADERS } from './json-headers.ts';
import type { Visitor } from './places.ts';
import { neutralBody, TRANSPORT_WORDS, type TransportReason } from './transport-refusal.ts';

// Not an import statement: that reads every export of node:http, and one of them loads the HTTP client behind fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const LINGER_MS = 1000;

const REASONS: Readonly<Record<string, TransportReason>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

/** Thrown to the door whose request broke while its body arrived. */
export class BrokenRequest extends Error {
  override readonly name = 'BrokenRequest';
  readonly reason: TransportReason;
  readonly statusCode = 400;

  constructor(reason: TransportReason) {
    super(reason);
    this.reason = reason;
  }
}

export function answerBrokenRequests(server: Server, gate: Gate): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    answerOnce(socket, gate.visitorAt(socket), error.code ?? '');
  });
  // RFC 9110 9.3.6: we are not a proxy. Node would close the connection without an answer.
  server.on('connect', (request: IncomingMessage, other: Socket | ServerResponse) => {
    if ('writeHead' in other) return answerConnectStream(request, other);
    answerInTurn(other, gate.visitorAt(other), () => answerSocket(other, 'method-not-allowed', 'Allow: GET, POST\r\n'));
  });
  // RFC 9110 10.1.1: unknown expectations may be ignored. Node would answer without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/2 passes a response here; HTTP/1 passes the socket. */
function answerConnectStream(request: IncomingMessage, response: ServerResponse): void {
  const { stream } = request as unknown as { stream: ServerHttp2Stream };
  const { status, text } = TRANSPORT_WORDS['method-not-allowed'];
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
  response.writeHead(status, { ...JSON_HEADERS, allow: 'GET, POST' }).end(neutralBody(text));
  stream.session?.close();
}

/** A request that broke in its body already has a response, and its door answers it. Others are answered here. */
function answerOnce(socket: Socket, visitor: Visitor, code: string): void {
  if (visitor.isEnding) return;
  const reason = REASONS[code] ?? 'request-malformed';
  const broken = [...visitor.places].find(({ raw }) => !raw.complete);
  if (!broken) {
    answerInTurn(socket, visitor, () => answerSocket(socket, reason));
    return;
  }
  visitor.isEnding = true;
  if (code === 'HPE_INVALID_EOF_STATE') return void socket.destroy(); // the caller went away
  broken.response.shouldKeepAlive = false;
  if (broken.raw.listenerCount('error') > 0) broken.raw.emit('error', new BrokenRequest(reason));
  // The answer is out already: close without waiting for the rest.
  else socket.destroySoon();
}

/** Answers after the pending answers on this connection, as the last one. */
function answerInTurn(socket: Socket, visitor: Visitor, answer: () => void): void {
  if (visitor.isEnding) return;
  visitor.isEnding = true;
  if (visitor.places.size === 0) answer();
  else visitor.whenIdle = () => (socket.writable ? answer() : socket.destroy());
}

function answerSocket(socket: Socket, refused: TransportReason, more = ''): void {
  const { status, text } = TRANSPORT_WORDS[refused];
  const body = neutralBody(text);
  const headers = Object.entries(JSON_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const phrase = status === 400 ? text : STATUS_CODES[status];
  // Closing at once could lose the answer while the caller is still sending; not closing would hold a connection.
  socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${headers.join('')}${more}${length}Connection: close\r\n\r\n${body}`);
}

/** RFC 9112 3.2: a request of HTTP/1.1 has exactly one Host. */
export function isWellFormed({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): boolean {
  if (httpVersionMajor !== 1 || httpVersionMinor === 0) return true;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts += 1;
  return hosts === 1;
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === 'host';
}
