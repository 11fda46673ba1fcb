// Calls through a proxy, byte by byte: what a hostile caller writes, no library would send.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Called {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** What the API has received. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly received: number;
}

/** The host is orders.example.com, unless a header says otherwise. */
export async function call(
  port: number,
  line: string,
  headers: readonly string[] = [],
  body: AsyncIterable<Buffer> | string = '',
): Promise<Called> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.setTimeout(20_000, () => socket.destroy());
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: orders.example.com'];
  const length = typeof body === 'string' && body ? [`Content-Length: ${body.length}`] : [];
  const ends = headers.some((header) => /^connection:/i.test(header)) ? [] : ['Connection: close'];
  socket.write([`${line} HTTP/1.1`, ...host, ...ends, ...length, ...headers, '', ''].join('\r\n'));
  const answered = text(socket).catch(() => '');
  if (typeof body === 'string') socket.write(body);
  else
    for await (const chunk of body)
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  const answer = await answered;
  socket.destroy();
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') };
}

/** What the API saw of a call that reached it; undefined if the proxy answered. */
export function seenIn({ status, body }: Called): Seen | undefined {
  const json = /\{.*\}/s.exec(body)?.[0];
  const found = status === 200 && json ? (JSON.parse(json) as Partial<Seen>) : {};
  return found.headers ? (found as Seen) : undefined;
}

/** As an API in Python, Ruby or PHP names them: capitals, and one underscore for either sign. */
export function named(seen: Seen | undefined, start: string): string[] {
  const lines = seen?.headers.map(([name, value]) => `${name.toUpperCase().replaceAll('-', '_')}=${value}`) ?? [];
  return lines.filter((line) => line.startsWith(start)).sort();
}

/** A WebSocket that sends a text, and what comes back. */
export async function echoed(port: number, path: string, headers: readonly string[]): Promise<string> {
  const upgrade = [
    'Host: orders.example.com',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
  ];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const socket = connect(port, '127.0.0.1');
  socket.write([`GET ${path} HTTP/1.1`, ...upgrade, key, ...headers, '', ''].join('\r\n'));
  const [head] = (await once(socket, 'data')) as [Buffer];
  // RFC 6455 1.3 has this key and this answer.
  if (!head.includes('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')) {
    socket.destroy();
    return head.toString().slice('HTTP/1.1 '.length, 12);
  }
  socket.write(Buffer.from([0x81, 0x85, 0, 0, 0, 0, ...Buffer.from('hello')]));
  const [frame] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return frame.toString('utf8', 2);
}
