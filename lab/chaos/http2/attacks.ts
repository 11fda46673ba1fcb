// What strangers do to a service over HTTP/2, as frames.
import {
  END_HEADERS,
  FRAME,
  fieldBlock,
  frame,
  headersFrame,
  INITIAL_WINDOW_SIZE,
  indexedField,
  NEWEST_FIELD,
  pingFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  windowFrame,
} from '../../../test/e2e/http2-frames.ts';
import type { RawOptions } from '../../../test/e2e/raw-http2.ts';
import { TOKEN, VERIFY } from '../../../test/e2e/steps.ts';

type NextStream = () => number;

export interface Attack {
  readonly connection?: RawOptions;
  /** Sent once. */
  readonly opening?: (next: NextStream) => Buffer;
  /** Sent five times a second. */
  readonly beat?: (next: NextStream) => Buffer;
  /** Sent as fast as the service reads. */
  readonly flood?: (next: NextStream) => Buffer;
  /** What the service must have done when the attack ends; the connections are still there. */
  readonly expected: 'every stream ended' | 'every connection closed' | 'nothing';
}

/** Above what the service allows. */
const STREAMS = 100;
const LARGEST_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 2 ** 16 - 1;
const FRAME_SIZE = 2 ** 14;

const many = (count: number, make: (n: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));
const JSON_BODY = [['content-type', 'application/json']] as const;
const GET = requestFields('GET', VERIFY);
const HEAD = requestFields('HEAD', VERIFY);
const POST = requestFields('POST', TOKEN, JSON_BODY);
const PINGS = many(1000, pingFrame);
const SETTINGS = many(1000, () => settingsFrame([[INITIAL_WINDOW_SIZE, DEFAULT_WINDOW]]));

const get = (next: NextStream) => headersFrame(next(), GET);
/** A request whose body has not come. */
const open = (next: NextStream, fields = POST) => headersFrame(next(), fields, END_HEADERS);
const body = (stream: number, length: number) => frame(FRAME.data, 0, stream, Buffer.alloc(length, 0x20));

/** Less than the service reads of one request. */
const LARGE_FIELDS = fieldBlock(Array.from({ length: 30 }, (_, n) => [`x-${n}`, 'y'.repeat(500)] as const));

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'windows of 0, with PINGs': {
    connection: { settings: [[INITIAL_WINDOW_SIZE, 0]] },
    opening: (next) => many(STREAMS, () => get(next)),
    beat: () => pingFrame(),
    expected: 'every stream ended',
  },
  'bodies that never come': {
    opening: (next) => many(STREAMS, () => open(next)),
    beat: () => pingFrame(),
    expected: 'every stream ended',
  },
  'HEAD with a body': {
    opening: (next) => many(STREAMS, () => open(next, HEAD)),
    beat: () => pingFrame(),
    expected: 'every stream ended',
  },
  'bodies as long as the window': {
    opening: (next) =>
      many(16, () => {
        const stream = next();
        return Buffer.concat([headersFrame(stream, POST, END_HEADERS), many(3, () => body(stream, FRAME_SIZE))]);
      }),
    expected: 'every stream ended',
  },
  'more streams than allowed': { flood: (next) => many(STREAMS, () => get(next)), expected: 'every connection closed' },
  'resets at once': {
    flood: (next) =>
      many(STREAMS, () => {
        const stream = next();
        return Buffer.concat([headersFrame(stream, POST, END_HEADERS), resetFrame(stream)]);
      }),
    expected: 'every connection closed',
  },
  'answers that nobody reads': {
    connection: { settings: [[INITIAL_WINDOW_SIZE, LARGEST_WINDOW]], reads: false },
    opening: (next) => Buffer.concat([windowFrame(0, LARGEST_WINDOW - DEFAULT_WINDOW), many(16, () => get(next))]),
    beat: (next) => many(16, () => headersFrame(next(), requestFields('GET', '/docs'))),
    expected: 'nothing',
  },
  'headers that never end': {
    opening: (next) => headersFrame(next(), GET, 0),
    flood: () => many(4, () => frame(FRAME.continuation, 0, 1, LARGE_FIELDS)),
    expected: 'every connection closed',
  },
  'empty CONTINUATION frames': {
    opening: (next) => headersFrame(next(), GET, 0),
    flood: () => many(1000, () => frame(FRAME.continuation, 0, 1)),
    expected: 'every connection closed',
  },
  'one large field, repeated by its index': {
    opening: (next) =>
      headersFrame(
        next(),
        Buffer.concat([GET, indexedField('x', 'y'.repeat(4000)), Buffer.alloc(10_000, NEWEST_FIELD)]),
      ),
    beat: (next) => headersFrame(next(), Buffer.concat([GET, Buffer.alloc(10_000, NEWEST_FIELD)])),
    expected: 'every stream ended',
  },
  PING: { flood: () => PINGS, expected: 'every connection closed' },
  'PING, answers not read': { connection: { reads: false }, flood: () => PINGS, expected: 'every connection closed' },
  SETTINGS: { flood: () => SETTINGS, expected: 'every connection closed' },
  'SETTINGS, answers not read': {
    connection: { reads: false },
    flood: () => SETTINGS,
    expected: 'every connection closed',
  },
  PRIORITY: {
    flood: (next) => many(1000, () => frame(FRAME.priority, 0, next(), Buffer.alloc(5))),
    expected: 'every connection closed',
  },
  WINDOW_UPDATE: { flood: () => many(1000, () => windowFrame(0, 1)), expected: 'every connection closed' },
  'empty DATA': {
    opening: (next) => open(next),
    flood: () => many(1000, () => frame(FRAME.data, 0, 1)),
    expected: 'every connection closed',
  },
  'frames of an unknown type': {
    flood: () => many(1000, () => frame(0x77, 0, 0)),
    expected: 'every connection closed',
  },
  'a preface and silence': { expected: 'every connection closed' },
};
