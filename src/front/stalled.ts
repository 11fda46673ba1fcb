// Ends what makes no progress: HTTP/2 requests that do not arrive, responses that are not read, idle connections. Node does the first for
// HTTP/1.1 only, and nothing of it for HTTP/2.
import { BrokenRequest } from './broken-request.ts';
import type { Connections } from './connections.ts';
import type { Connection, InProgress } from './in-progress.ts';
import type { Limits } from './limits.ts';

const LOOK_EVERY_MS = 1_000;

export function endStalled(connections: Connections, limits: Limits): () => void {
  const look = () => {
    const now = performance.now();
    for (const connection of connections.all()) {
      for (const request of [...connection.requests]) endLate(request, now, limits);
      if (connection.requests.length === 0) endIdle(connection, now, limits);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function endLate(request: InProgress, now: number, { requestTimeoutMs }: Limits): void {
  const { raw, response, stream, endEvents, holds } = request;
  if (response.writableEnded || (response.headersSent && !endEvents)) {
    request.answeredAt ??= now;
    // Over HTTP/2, Node never finishes the response to a HEAD whose body does not end. It has been sent.
    if ((stream && raw.method === 'HEAD') || now - request.answeredAt >= requestTimeoutMs) request.disconnect();
    return;
  }
  // Not `raw.complete`: over HTTP/2 it is false for a request without a body. Over HTTP/1.1 Node has a limit.
  if (!stream || holds !== 'nothing' || now - request.since < requestTimeoutMs) return;
  // The error that Node gives to a reader of the body over HTTP/1.1.
  if (raw.listenerCount('error') > 0) raw.emit('error', new BrokenRequest('request-too-slow'));
}

/** Frames such as PING, or empty lines, would keep a connection open for ever. */
function endIdle({ session, socket, openedAt, idleSince }: Connection, now: number, limits: Limits): void {
  const quietMs = now - idleSince;
  const patienceMs = idleSince === openedAt ? limits.headersTimeoutMs : limits.idleTimeoutMs;
  if (quietMs < patienceMs) return;
  // The headers of a next HTTP/1.1 request may be on their way, and an HTTP/2 peer may not read the GOAWAY frame.
  if (quietMs < patienceMs + limits.headersTimeoutMs) session?.close();
  else socket.destroy();
}
