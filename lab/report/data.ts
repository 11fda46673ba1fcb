// What `npm run lab` found.
import type { Circumstances } from '../figures/data.ts';
import type { Outcome } from './run-drill.ts';

export interface PromiseRow extends Outcome {
  readonly promise: string;
  readonly command: string;
}

export interface ReliabilityFigures extends Circumstances {
  readonly rows: readonly PromiseRow[];
}
