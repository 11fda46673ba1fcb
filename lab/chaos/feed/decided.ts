import { setTimeout as pause } from 'node:timers/promises';
import type { Checked, Guard } from '../../../sdk/verify/src/verify.ts';

const ASK_AGAIN_MS = 5;

/** What a guard decides. One that gets no answer in time, on a busy machine, says so and is asked again. */
export async function decided(guard: Guard, token: string): Promise<Checked> {
  for (;;) {
    const checked = await guard.check(token);
    if (checked.ok || checked.reason !== 'unavailable') return checked;
    await pause(ASK_AGAIN_MS);
  }
}
