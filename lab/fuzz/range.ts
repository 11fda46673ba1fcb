/** Mutants have numbers: a run makes `mutations` of them, from `first` on. */
export interface Range {
  readonly first: number;
  readonly mutations: number;
}

/** Consecutive ranges of nearly equal size. */
export function split({ first, mutations }: Range, parts: number): Range[] {
  const bounds = Array.from({ length: parts + 1 }, (_, part) => first + Math.floor((mutations * part) / parts));
  return bounds.slice(0, -1).map((start, part) => ({ first: start, mutations: (bounds[part + 1] ?? start) - start }));
}
