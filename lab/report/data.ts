// What `npm run lab` and `npm run mutants` found.
import type { Circumstances } from '../figures/data.ts';
import type { Outcome } from './run-drill.ts';

export interface PromiseRow extends Outcome {
  readonly promise: string;
  readonly command: string;
  readonly date: string;
  readonly commit: string;
}

export interface ReliabilityFigures extends Circumstances {
  readonly rows: readonly PromiseRow[];
}

export interface MutantRow {
  readonly folder: string;
  readonly tried: number;
  readonly noticed: number;
  /** Those that no test noticed: their types are wrong. */
  readonly byTypes: number;
  readonly timedOut: number;
  readonly seed: string;
  readonly date: string;
  readonly survivors: readonly string[];
}

export interface MutantFigures extends Circumstances {
  readonly rows: readonly MutantRow[];
}
