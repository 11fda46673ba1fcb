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

/** In ISO 8601, in whole seconds: `2027-01-31T12:00:00Z`. */
export function isoTime(time: EpochSeconds): string {
  return new Date(time * 1000).toISOString().replace('.000Z', 'Z');
}
