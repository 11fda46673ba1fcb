// Requests so broken that there is none, or none that fastify would see: answered in JSON all the same.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { RefusalReason } from '../core/refusal.ts';
import { JSON_HEADERS } from './json-headers.ts';

// Not imported: an import statement reads every export of node:http, and one of them loads the client behind fetch.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export type BareRefusal = (reason: RefusalReason) => {
  readonly status: number;
  readonly phrase: string;
  readonly body: string;
};

const REASONS: Readonly<Record<string, RefusalReason>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

export function answerBrokenRequests(server: Server, refusal: BareRefusal): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    answerSocket(socket, refusal(REASONS[error.code ?? ''] ?? 'request-malformed'));
  });
  // RFC 9110 9.3.6: we are no proxy. Node would hang up without a word.
  server.on('connect', (_request: IncomingMessage, other: Socket | ServerResponse) => {
    const worded = refusal('method-not-allowed');
    // HTTP/2 has a response here; HTTP/1 has the socket, whatever version the request claims.
    if ('writeHead' in other) other.writeHead(worded.status, { ...JSON_HEADERS, allow: 'GET, POST' }).end(worded.body);
    else answerSocket(other, worded, 'Allow: GET, POST\r\n');
  });
  // RFC 9110 10.1.1: an expectation that we do not know may be ignored. Node would answer without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function answerSocket(socket: Socket, { status, phrase, body }: ReturnType<BareRefusal>, more = ''): void {
  const headers = Object.entries(JSON_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const reason = status === 400 ? phrase : STATUS_CODES[status];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}${more}${length}Connection: close\r\n\r\n${body}`);
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
