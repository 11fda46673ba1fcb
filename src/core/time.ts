// All times on the wire and in rows are whole seconds. The two types keep a moment and a length of time apart.

export type EpochSeconds = number & { readonly unit: 'epoch seconds' };
export type Seconds = number & { readonly unit: 'seconds' };

export function epochSeconds(value: number): EpochSeconds {
  return Math.floor(value) as EpochSeconds;
}

export function seconds(value: number): Seconds {
  return Math.floor(value) as Seconds;
}

export function after(moment: EpochSeconds, length: Seconds): EpochSeconds {
  return (moment + length) as EpochSeconds;
}

export function between(from: EpochSeconds, to: EpochSeconds): Seconds {
  return (to - from) as Seconds;
}

export function earlier(a: EpochSeconds, b: EpochSeconds): EpochSeconds {
  return a < b ? a : b;
}

export function later(a: EpochSeconds, b: EpochSeconds): EpochSeconds {
  return a > b ? a : b;
}

/** What changes if a row ends now: nothing, if there is none or it has ended. */
export function endedNow<Row extends { readonly endsAt: EpochSeconds }>(
  row: Row | undefined,
  now: EpochSeconds,
): Row | undefined {
  return row && now < row.endsAt ? { ...row, endsAt: now } : undefined;
}

const END_OF_9999 = 253_402_300_799;

/** In ISO 8601, in whole seconds: `2027-01-31T12:00:00Z`. What is later than the year 9999 is shown as its end. */
export function isoTime(time: EpochSeconds): string {
  return new Date(Math.min(time, END_OF_9999) * 1000).toISOString().replace('.000Z', 'Z');
}
