import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { TransportReason } from '../doors/http/transport-refusal.ts';
import { BrokenRequest } from './broken-request.ts';
import { BODY_PIECES } from './limits.ts';

const BODY_BYTES = Symbol('the most bytes of this body');
type BodyBytes = (request: FastifyRequest) => number | undefined;
type LimitedRequest = FastifyRequest & { [BODY_BYTES]?: BodyBytes };

/** For a door with a limit of its own. */
export function limitBody(request: LimitedRequest, bytes: BodyBytes): void {
  request[BODY_BYTES] = bytes;
}

/**
 * Reads the body of a request into memory, up to `usual` bytes, if it has one. fastify's own reading parses the type, makes an
 * asynchronous resource and always copies, which takes 2 to 3 µs more.
 */
export function readBody(
  request: LimitedRequest,
  usual: number,
  done: (fault: Error | null, body?: Buffer) => void,
): void {
  const { raw, headers, method } = request;
  if (BODYLESS.includes(method) || isWithout(headers)) {
    done(null);
    return;
  }
  const limit = request[BODY_BYTES]?.(request) ?? usual;
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
    if (isOver) return;
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

const BODYLESS = ['GET', 'HEAD', 'TRACE'];

function isWithout(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return type === undefined && coding === undefined && length === '0';
}

/** RFC 9110 8.3.1, with or without parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

export function isTyped({ headers, method }: FastifyRequest): boolean {
  return BODYLESS.includes(method) || MEDIA_TYPE.test(headers['content-type'] ?? '*/*');
}

const COMPRESSIONS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress'];

/** What is known before the first byte is read. */
function whyNotRead(headers: IncomingHttpHeaders, limit: number): TransportReason | undefined {
  // Others are ignored: some clients put a charset there.
  const codings = headers['content-encoding']?.split(',') ?? [];
  if (codings.some((coding) => COMPRESSIONS.includes(coding.trim().toLowerCase()))) return 'body-compressed';
  return Number(headers['content-length']) > limit ? 'body-too-large' : undefined;
}
