// What differs over HTTP/2.
import type { IncomingMessage } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { FRONT, type Limits } from './limits.ts';

/** Headers are read up to this many times the limit: otherwise the session is closed instead of answered with 431. */
const HEADER_SLACK = 3;

/** Node's own limits apply besides. */
export function http2Limits({ headerBytes }: Limits) {
  return {
    settings: { maxHeaderListSize: headerBytes * HEADER_SLACK, maxConcurrentStreams: FRONT.streams.most },
    /** By default 128: a request with more would be reset instead of answered. */
    maxHeaderListPairs: 2000,
    streamResetBurst: FRONT.resets.most,
    streamResetRate: FRONT.resets.most,
    maxSessionMemory: FRONT.sessionMegabytes.most,
  };
}

/** Not by its version: a request on a connection of HTTP/1.1 can claim any. */
export function streamOf(raw: IncomingMessage): ServerHttp2Stream | undefined {
  return (raw as { stream?: ServerHttp2Stream }).stream;
}

export function headerBytes({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

/** RFC 9113 8.1: does not wait for the rest of an unread body once the answer is sent. */
export function closeBehindAnswer(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
