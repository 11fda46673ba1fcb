// Ids of requests link an answer with its log line and its events. They begin with their time, so that events are found by it.
import { type EpochSeconds, epochSeconds } from './time.ts';

const TIME_DIGITS = 8;
const COUNT_DIGITS = 4;
const COUNTS = 16 ** COUNT_DIGITS;

/** `prefix`: hex digits that others do not have. */
export function requestIds(prefix: string, milliseconds: () => number): () => string {
  let count = 0;
  return () => {
    count = (count + 1) % COUNTS;
    const time = Math.floor(milliseconds() / 1000);
    return hex(time, TIME_DIGITS) + prefix + hex(count, COUNT_DIGITS);
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** When the request arrived; undefined for what is not such an id. */
export function requestedAt(id: string): EpochSeconds | undefined {
  return /^[0-9a-f]{16}$/.test(id) ? epochSeconds(Number.parseInt(id.slice(0, TIME_DIGITS), 16)) : undefined;
}
