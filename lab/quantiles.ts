/** The value below which `part` of the numbers are, interpolated between the two nearest. */
export function quantile(numbers: readonly number[], part: number): number {
  return quantileOfSorted(
    numbers.toSorted((a, b) => a - b),
    part,
  );
}

export function quantileOfSorted(sorted: readonly number[], part: number): number {
  const place = part * (sorted.length - 1);
  const [lower = Number.NaN, upper = lower] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
  return lower + (upper - lower) * (place % 1);
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

export function quartiles(numbers: readonly number[]): [number, number, number] {
  return [quantile(numbers, 0.25), median(numbers), quantile(numbers, 0.75)];
}
