// Counts what callers met during each step of a drill.
import type { Broken } from '../broken.ts';
import type { Release } from './release.ts';
import type { SteadyCallers } from './steady-callers.ts';

/** A release from before this one may fail requests when it stops: that is shown, but it is not this release's promise. */
export class Tally {
  readonly #callers: SteadyCallers;
  readonly #broken: Broken;
  #failures = 0;
  #again = 0;

  constructor(callers: SteadyCallers, broken: Broken) {
    [this.#callers, this.#broken] = [callers, broken];
  }

  /** Prints what happened since the last step. */
  step(what: string, release: Release): void {
    const { failures, again } = this.#callers;
    const [failed, asked] = [failures.slice(this.#failures), again - this.#again];
    [this.#failures, this.#again] = [failures.length, again];
    console.log(`${what}: ${failed.length} failed, ${asked} asked to come again (503)`);
    for (const failure of failed.slice(0, 5)) console.log(`  ${failure}`);
    this.#broken.where(release.isThis && failed.length + asked > 0, `${what}: requests failed`);
  }
}
