import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { TransportReason } from '../doors/http/transport-refusal.ts';
import { BrokenRequest } from './broken-request.ts';
import { BODY_PIECES } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most bytes of a body, where it is not `limits.bodyBytes`. */
    bodyBytes?: (request: FastifyRequest) => number | undefined;
  }
}

/** Up to `limit` bytes. */
export function readBody(
  { raw, headers }: FastifyRequest,
  limit: number,
  done: (fault: Error | null, body?: Buffer) => void,
): void {
  const refused = whyNotRead(headers, limit);
  const mostPieces = Math.max(BODY_PIECES, limit / LEAST_ROOM);
  if (refused) {
    done(new BrokenRequest(refused));
    return;
  }
  let body: Buffer | undefined;
  let [length, pieces, isOver] = [0, 0, false];
  const end = (fault: Error | null, read?: Buffer) => {
    if (isOver) return;
    isOver = true;
    body = undefined;
    done(fault, read);
  };
  raw.on('data', (piece: Buffer) => {
    pieces += 1;
    const before = length;
    length += piece.length;
    if (length > limit || pieces > mostPieces) end(new BrokenRequest('body-too-large'));
    else body = body === undefined ? piece : append(body, before, piece);
  });
  // Usually there is one piece, and no view to make.
  raw.on('end', () => end(null, body?.length === length ? body : (body?.subarray(0, length) ?? NOTHING)));
  // The caller went away, and nobody reads an answer. HTTP/2: Node ends the body where it broke off.
  raw.on('aborted', () => {
    isOver = true;
    body = undefined;
  });
  raw.on('error', (fault) => end(fault instanceof BrokenRequest ? fault : new BrokenRequest('body-unreadable')));
}

const NOTHING = Buffer.alloc(0);
const LEAST_ROOM = 1024;

/** Copies: a piece of one byte takes hundreds in memory. Returns `body` itself if it has room after its first `length` bytes. */
function append(body: Buffer, length: number, piece: Buffer): Buffer {
  const needed = length + piece.length;
  const isOurs = length < body.length;
  const roomy = isOurs && needed <= body.length ? body : Buffer.allocUnsafe(Math.max(LEAST_ROOM, 2 * needed));
  if (roomy !== body) body.copy(roomy, 0, 0, length);
  piece.copy(roomy, length);
  return roomy;
}

const COMPRESSIONS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress'];

/** What is known before the first byte is read. */
function whyNotRead(headers: IncomingHttpHeaders, limit: number): TransportReason | undefined {
  // Others are ignored: some clients put a charset there.
  const codings = headers['content-encoding']?.split(',') ?? [];
  if (codings.some((coding) => COMPRESSIONS.includes(coding.trim().toLowerCase()))) return 'body-compressed';
  return Number(headers['content-length']) > limit ? 'body-too-large' : undefined;
}
