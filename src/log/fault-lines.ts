import type { Log } from './log.ts';
import { RepeatedLines } from './repeated-lines.ts';

const EVERY_MS = 60_000;
/** What differs from one request to the next, such as ids. */
const CHANGING = /[0-9a-f]{8,}|\d+/gi;

export interface Fault {
  /** The error, with its stack if it is a defect: the message and the first place are the cause. */
  readonly text: string;
  /** Whoever met a defect was given the id of the request, so each has a line, without its stack if it is a repeated one. */
  readonly isDefect?: boolean;
}

/**
 * Errors of requests and of background work. While a disk is full, all of them fail for one cause: the first has a line, and then one
 * a minute, which says how many had none.
 */
export function faultLines(log: Log, milliseconds: () => number) {
  const lines = new RepeatedLines(EVERY_MS, milliseconds);
  return (message: string, { text, isDefect }: Fault, about: Readonly<Record<string, unknown>> = {}): void => {
    const [first = '', place = ''] = text.split('\n', 2);
    const omitted = lines.take(`${message} ${first} ${place}`.replaceAll(CHANGING, '#'));
    if (omitted !== undefined && !isDefect)
      log.error({ ...about, fault: text, ...(omitted > 0 && { omitted }) }, message);
    if (isDefect) log.error({ ...about, fault: omitted === undefined ? first : text }, message);
  };
}
