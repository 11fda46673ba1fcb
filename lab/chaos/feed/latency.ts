// How long it takes from the response to a revocation until every follower refuses the token.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import { revoke } from '../../../test/e2e/steps.ts';
import { decided } from './decided.ts';
import type { FeedField } from './feed-field.ts';

/** A busy machine is slow; `PROMISED_MS` of the drill is what must hold on a quiet one. */
const LONGEST_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** In milliseconds, for each round and follower. Infinite: it was never refused. */
export async function refusalLatencies(field: FeedField, guards: readonly Guard[], rounds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const token = await field.token('opaque');
    const refused = (await Promise.all(guards.map((guard) => decided(guard, token)))).find(({ ok }) => !ok);
    if (refused) throw new Error(`a good token was refused: ${JSON.stringify(refused)}`);
    const answer = await revoke(field.caller, token);
    if (answer.status !== 200) throw new Error(`the revocation got ${answer.status}`);
    latencies.push(...(await untilRefused(guards, token)));
  }
  return latencies;
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
