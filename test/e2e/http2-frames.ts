// HTTP/2 frames made by hand (RFC 9113), for callers that break the rules on purpose.

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

const END_STREAM = 1;
export const END_HEADERS = 4;
const HEADER_LENGTH = 9;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(HEADER_LENGTH + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEADER_LENGTH);
  return bytes;
}

/** Identifiers and values: RFC 9113 6.5.2. */
export function settingsFrame(values: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(values.length * 6);
  for (const [n, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, n * 6);
    payload.writeUInt32BE(value, n * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

export const INITIAL_WINDOW_SIZE = 4;

export function pingFrame(): Buffer {
  return frame(FRAME.ping, 0, 0, Buffer.alloc(8));
}

export function windowFrame(stream: number, by: number): Buffer {
  return frame(FRAME.windowUpdate, 0, stream, word(by));
}

export function resetFrame(stream: number): Buffer {
  return frame(FRAME.resetStream, 0, stream, word(CANCEL));
}

const CANCEL = 8;

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

type Fields = readonly (readonly [name: string, value: string])[];

export function requestFields(method: string, path: string, more: Fields = []): Buffer {
  return fieldBlock([[':method', method], [':scheme', 'https'], [':authority', 'localhost'], [':path', path], ...more]);
}

/** RFC 7541 6.2.2: literals without indexing, so that the peer keeps nothing. */
export function fieldBlock(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

/** RFC 7541 6.2.1: a literal that the peer adds to its table, where it gets the first dynamic index. */
export function indexedField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0x40), text(name), text(value)]);
}

/** RFC 7541 6.1: one byte that stands for the newest field of the dynamic table. */
export const NEWEST_FIELD = 0x80 | 62;

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** RFC 7541 5.1, with a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.of(value);
  const bytes = [127];
  for (let rest = value - 127; ; rest >>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return Buffer.from(bytes);
  }
}

export function headersFrame(stream: number, block: Uint8Array, flags = END_HEADERS | END_STREAM): Buffer {
  return frame(FRAME.headers, flags, stream, block);
}

export interface Received {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Splits what a peer sends into frames. */
export class FrameReader {
  #rest = Buffer.alloc(0);

  read(chunk: Uint8Array): Received[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: Received[] = [];
    for (;;) {
      const length = this.#rest.length < HEADER_LENGTH ? Number.NaN : HEADER_LENGTH + this.#rest.readUIntBE(0, 3);
      if (!(this.#rest.length >= length)) return frames;
      const stream = this.#rest.readUInt32BE(5);
      frames.push({ type: this.#rest[3] ?? 0, stream, payload: this.#rest.subarray(HEADER_LENGTH, length) });
      this.#rest = this.#rest.subarray(length);
    }
  }
}
