import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { TransportReason } from '../doors/http/transport-refusal.ts';
import { BrokenRequest } from './broken-request.ts';
import { streamOf } from './http2.ts';
import { FRONT } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most bytes of a body, where it is not `limits.bodyBytes`. */
    bodyBytes?: (request: FastifyRequest) => number | undefined;
  }
}

const KIB = 1024;

/** Up to `limit` bytes. */
export function readBody(
  { raw, headers }: FastifyRequest,
  limit: number,
  timeoutMs: number,
  done: (fault: Error | null, body?: Buffer) => void,
): void {
  const refused = whyNotRead(headers, limit);
  if (refused) {
    done(new BrokenRequest(refused));
    return;
  }
  const most = Math.max(FRONT.pieces.most, limit / KIB);
  let pieces: Buffer[] = [];
  let [length, isOver] = [0, false];
  const leave = () => {
    clearTimeout(timer);
    isOver = true;
    pieces = [];
  };
  const end = (fault: Error | null, body?: Buffer) => {
    if (isOver) return;
    leave();
    done(fault, body);
  };
  // Over HTTP/1.1, Node has a limit.
  const timer = streamOf(raw) && setTimeout(() => end(new BrokenRequest('request-too-slow')), timeoutMs).unref();
  raw.on('data', (piece: Buffer) => {
    if (isOver) return;
    length += piece.length;
    pieces.push(Buffer.from(piece)); // a copy: a piece of one byte keeps all that was read with it in memory
    if (length > limit || pieces.length > most) end(new BrokenRequest('body-too-large'));
  });
  raw.on('end', () => end(null, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
  // The caller went away, and nobody reads an answer. HTTP/2: Node ends the body where it broke off.
  raw.on('aborted', leave);
  raw.on('error', (fault) => end(fault instanceof BrokenRequest ? fault : new BrokenRequest('body-unreadable')));
}

const COMPRESSIONS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress'];

/** What is known before the first byte is read. */
function whyNotRead(headers: IncomingHttpHeaders, limit: number): TransportReason | undefined {
  // Others are ignored: some clients put a charset there.
  const codings = headers['content-encoding']?.split(',') ?? [];
  if (codings.some((coding) => COMPRESSIONS.includes(coding.trim().toLowerCase()))) return 'body-compressed';
  return Number(headers['content-length']) > limit ? 'body-too-large' : undefined;
}
