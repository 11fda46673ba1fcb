// Parsers of option values. Commander reports what they throw as a usage error.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../core/duration.ts';
import { type EpochSeconds, epochSeconds, type Seconds } from '../../core/time.ts';

export function asDuration(text: string): Seconds {
  const length = parseDuration(text);
  if (length === undefined) throw new InvalidArgumentError('Expected a duration such as 90d, 12h, 15m or 60s.');
  return length;
}

export function atLeast(least: number): (text: string) => Seconds {
  return (text) => {
    const length = asDuration(text);
    if (length < least) throw new InvalidArgumentError(`Expected at least ${least}s.`);
    return length;
  };
}

export function asCount(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

export function asMoment(text: string): EpochSeconds {
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('Expected a moment such as 2027-01-31T12:00:00Z.');
  return epochSeconds(moment);
}

/** The id of a MAC key is a number, that of a signing key a text. */
export function asKeyId(text: string): number | string {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(text)) throw new InvalidArgumentError('Expected the id of a key.');
  return text;
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Parses `yes` or `no`. */
export function asYesNo(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('Expected yes or no.');
  return text === 'yes';
}
