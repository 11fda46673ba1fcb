// Closes what makes no progress: requests that do not arrive, responses that are not read, idle connections, floods of frames. Node does
// the first for HTTP/1.1. For HTTP/2 it does none of this, and frames such as PING keep a session alive.
import { cut } from './cut.ts';
import type { Place, Places, Visitor } from './places.ts';

export interface Patience {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

const LOOK_EVERY_MS = 1000;
/** A flood of frames is noticed within this time. */
const COUNT_EVERY_MS = 250;

/** Returns a function that stops it. */
export function endStalled(places: Places, patience: Patience): () => void {
  const timer = setInterval(() => {
    const now = performance.now();
    for (const visitor of places.visitors) {
      for (const place of visitor.places) endStalledPlace(place, now, patience);
      endIdle(visitor, now, patience);
    }
    places.releaseLeft();
  }, LOOK_EVERY_MS);
  const counter = setInterval(() => {
    const now = performance.now();
    for (const { frames, places: open } of places.visitors) frames?.look(now, open.length);
  }, COUNT_EVERY_MS);
  timer.unref();
  counter.unref();
  return () => {
    clearInterval(timer);
    clearInterval(counter);
  };
}

function endStalledPlace(place: Place, now: number, { requestTimeoutMs }: Patience): void {
  const { raw, response, stream } = place;
  // fastify writes a large page over HTTP/2 as its caller reads it.
  if (place.isUnsent || response.writableEnded || (response.headersSent && !place.endStream)) {
    if (place.beganAt === undefined) place.beganAt = now;
    // Over HTTP/2, Node never finishes the response to a HEAD whose body does not end. It has been sent.
    else if (raw.method === 'HEAD' || now - place.beganAt >= requestTimeoutMs) cut(place);
    return;
  }
  if (!stream || raw.complete || now - place.since < requestTimeoutMs) return;
  place.refuseLate?.();
  place.refuseLate = undefined;
}

/** Node closes idle HTTP/1.1 connections itself, but not if empty lines keep coming. */
function endIdle({ session, socket, places, openedAt, lastUsedAt }: Visitor, now: number, patience: Patience): void {
  if (places.length > 0) return;
  const isSilent = lastUsedAt === openedAt;
  const quietMs = now - lastUsedAt;
  const patienceMs = isSilent ? patience.headersTimeoutMs : patience.idleTimeoutMs;
  if (quietMs < patienceMs) return;
  // The headers of a next HTTP/1.1 request may be on their way. An HTTP/2 peer that does not read the GOAWAY frame, or does not close its
  // side, would keep the connection open.
  if (quietMs < patienceMs + patience.headersTimeoutMs) session?.close();
  else socket.destroy();
}
