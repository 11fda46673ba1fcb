import type { EpochSeconds } from '../../core/time.ts';

const DAY = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const MIDNIGHT = '00:00:00.000Z';

/** The text of each day, cached. An answer has three times, and `Date.toISOString` takes four times as long for each. */
const days = new Map<number, string>();

/** As `Date.toISOString` writes it. */
export function isoTime(time: EpochSeconds): string {
  const day = Math.floor(time / DAY);
  const ofDay = time - day * DAY;
  const [hour, minute] = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60];
  return `${dayText(day)}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[ofDay % 60]}.000Z`;
}

function dayText(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY * 1000).toISOString().slice(0, -MIDNIGHT.length);
  days.set(day, text);
  return text;
}
