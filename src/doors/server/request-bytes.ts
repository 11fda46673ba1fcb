import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/** Not by its version: a request on a connection of HTTP/1.1 can claim any. */
export function isHttp2(raw: IncomingMessage): boolean {
  return 'stream' in raw;
}

export function headerBytes({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let sum = 0;
  for (const text of rawHeaders) sum += text.length;
  return sum;
}

/** The most that an HTTP/2 request may send, with a body of at most `bodyBytes`. */
export function requestBytes(raw: IncomingMessage, bodyBytes: number): number {
  const { stream } = raw as { stream?: ServerHttp2Stream };
  if (stream?.endAfterHeaders) return headerBytes(raw);
  const announced = Number(raw.headers['content-length'] ?? bodyBytes);
  return headerBytes(raw) + (announced >= 0 ? Math.min(announced, bodyBytes) : 0);
}
