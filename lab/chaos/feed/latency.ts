// How long it takes from the response to a revocation until every follower refuses the token.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import { revoke } from '../../../test/e2e/steps.ts';
import type { FeedField } from './feed-field.ts';

const LONGEST_MS = 5_000;
const LOOK_EVERY_MS = 5;

/** In milliseconds, for each round and follower. Infinite: it was never refused. */
export async function refusalLatencies(field: FeedField, guards: readonly Guard[], rounds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const token = await field.token('opaque');
    await Promise.all(guards.map((guard) => untilAllowed(guard, token)));
    const answer = await revoke(field.caller, token);
    if (answer.status !== 200) throw new Error(`the revocation got ${answer.status}`);
    latencies.push(...(await untilRefused(guards, token)));
  }
  return latencies;
}

/** A guard that gets no answer in time, on a busy machine, says so and is asked again. */
async function untilAllowed(guard: Guard, token: string): Promise<void> {
  for (;;) {
    const checked = await guard.check(token);
    if (checked.ok) return;
    if (checked.reason !== 'unavailable') throw new Error(`a good token was refused: ${checked.description}`);
    await pause(LOOK_EVERY_MS);
  }
}

async function untilRefused(guards: readonly Guard[], token: string): Promise<number[]> {
  const began = performance.now();
  const left = new Set(guards);
  const latencies: number[] = [];
  while (left.size > 0 && performance.now() - began < LONGEST_MS) {
    for (const guard of left) {
      if ((await guard.check(token)).ok) continue;
      left.delete(guard);
      latencies.push(performance.now() - began);
    }
    await pause(LOOK_EVERY_MS);
  }
  return [...latencies, ...[...left].map(() => Number.POSITIVE_INFINITY)];
}
