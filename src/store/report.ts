// How a back end says what it found when it looked at itself.
import type { StoreCheck, StoreCheckName } from './store.ts';

/** A check that did not hold. The reason is for whoever may ask for readiness, the fault for the log. */
export function failing(name: StoreCheckName, reason: string, fault: unknown): StoreCheck {
  return { name, problem: { reason, detail: fault instanceof Error ? fault.message : String(fault) } };
}

/** Does the work; what it throws is the problem. */
export function check(name: StoreCheckName, reason: string, work: () => unknown): StoreCheck {
  try {
    work();
    return { name };
  } catch (fault) {
    return failing(name, reason, fault);
  }
}
