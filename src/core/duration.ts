import { type Seconds, seconds } from './time.ts';

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export const DURATION_PATTERN = '^[0-9]{1,9}[smhd]$';
/** Tokens carry their expiry in 32 bits, which end in 2106. */
export const LONGEST = 50 * 365 * UNITS.d;

/** `90d`, `12h`, `15m`, `60s` or a number of seconds; undefined for anything else. */
export function parseDuration(value: unknown): Seconds | undefined {
  const length = typeof value === 'string' ? inSeconds(value) : value;
  const isLength = typeof length === 'number' && Number.isInteger(length) && length >= 0 && length <= LONGEST;
  return isLength ? seconds(length) : undefined;
}

/** What the limits of a duration are for texts, which documents publish. */
export function patternWithin(least = 0, most: number = LONGEST): string {
  const upTo = (length: number) =>
    Object.entries(UNITS)
      .map(([unit, size]) => `(?:${numbersUpTo(Math.floor(length / size))})${unit}`)
      .join('|');
  const short = least > 0 ? `(?!0*(?:${upTo(least - 1)})$)` : '';
  return `^(?=[0-9]{1,9}[smhd]$)${short}0*(?:${upTo(most)})$`;
}

function numbersUpTo(most: number): string {
  const digits = String(most);
  const smaller = Array.from(digits, (digit, at) => {
    const rest = digits.length - at - 1;
    return digit === '0' ? [] : [`${digits.slice(0, at)}[0-${Number(digit) - 1}][0-9]{${rest}}`];
  });
  return [`[0-9]{0,${digits.length - 1}}`, ...smaller.flat(), digits].join('|');
}

function inSeconds(text: string): number | undefined {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  if (!new RegExp(DURATION_PATTERN).test(text)) return undefined;
  return Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS];
}

export function formatDuration(length: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => length > 0 && length % UNITS[name] === 0) ?? 's';
  return `${length / UNITS[unit]}${unit}`;
}
