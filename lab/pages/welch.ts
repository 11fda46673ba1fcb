/** Milliseconds of two kinds of requests. */
export interface Timed {
  readonly known: number[];
  readonly unknown: number[];
}

/** Welch's t-test: how many standard errors lie between the means. */
export function welch({ known, unknown }: Timed): { t: number; difference: number } {
  const [a, b] = [momentsOf(known), momentsOf(unknown)];
  const difference = a.mean - b.mean;
  return { t: difference / Math.sqrt(a.variance / known.length + b.variance / unknown.length), difference };
}

function momentsOf(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** Without the slowest, which are noise: one limit for both kinds together. */
export function cropped({ known, unknown }: Timed, part: number): Timed {
  const sorted = [...known, ...unknown].sort((a, b) => a - b);
  const limit = sorted[Math.floor(sorted.length * part)] ?? Number.POSITIVE_INFINITY;
  const below = (values: readonly number[]) => values.filter((value) => value < limit);
  return { known: below(known), unknown: below(unknown) };
}
