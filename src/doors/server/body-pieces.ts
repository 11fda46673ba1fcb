// Bounds the pieces in which a body comes: chunks of HTTP/1.1, DATA frames of HTTP/2. Node handles each by itself, whether the body is read
// or not, and each takes much more memory and time than the byte that it may consist of.
import type { Readable } from 'node:stream';

/** Clients send bodies of our size in a few. */
export const MOST_PIECES = 500;
/** From then on, each counts as a frame that is no request. */
const FEW_PIECES = 16;
/** Dropped, while the refusal is on its way. */
const DROPPED_PIECES = 5000;

export interface PieceRules {
  /** Called for each piece after the first few. */
  readonly onMany?: () => void;
  /** Called once, when the last one has come and there were not too many. */
  readonly onEnd?: () => void;
  /** Called when they do not end. */
  readonly onFlood: () => void;
}

/** `source`: what Node pushes the pieces into. */
export function boundPieces(source: Readable, { onMany, onEnd, onFlood }: PieceRules): void {
  const push = source.push.bind(source);
  let pieces = 0;
  source.push = (piece: unknown, encoding?: BufferEncoding) => {
    pieces += 1;
    if (piece === null && pieces <= MOST_PIECES) onEnd?.();
    if (piece === null) return push(null);
    if (pieces > FEW_PIECES) onMany?.();
    if (pieces <= MOST_PIECES + 1) return push(piece, encoding);
    if (pieces > MOST_PIECES + DROPPED_PIECES) onFlood();
    return true;
  };
}
