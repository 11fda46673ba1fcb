// How long a request may take to arrive. Node sees to it over HTTP/1.1; over HTTP/2 it sees to nothing.
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Server } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Calls `refuse` where the body of a request over HTTP/2 has not come in time, and closes its stream behind that. */
export function limitArrival(
  request: FastifyRequest,
  reply: FastifyReply,
  milliseconds: number,
  refuse: () => void,
): void {
  const { stream } = request.raw as { stream?: ServerHttp2Stream };
  if (!stream || stream.endAfterHeaders) return;
  const timer = setTimeout(() => {
    stream.once('finish', () => stream.close());
    if (!reply.sent) refuse();
  }, milliseconds);
  timer.unref();
  const stop = () => clearTimeout(timer);
  request.raw.once('end', stop);
  stream.once('close', stop);
}

/** A connection that has asked nothing when it should have is closed. */
export function refuseSilentSessions(server: Server, milliseconds: number): void {
  server.on('session', (session: ServerHttp2Session) => {
    const timer = setTimeout(() => session.close(), milliseconds);
    timer.unref();
    const stop = () => clearTimeout(timer);
    session.once('stream', stop);
    session.once('close', stop);
  });
}
