// How a back end reports its own checks.
import type { StoreCheck, StoreCheckName } from './store.ts';

/** A failed check. The reason is shown by /readyz, the fault is logged. */
export function failing(name: StoreCheckName, reason: string, fault: unknown): StoreCheck {
  return { name, problem: { reason, detail: fault instanceof Error ? fault.message : String(fault) } };
}

/** Runs a check: whatever it throws is the problem. */
export function check(name: StoreCheckName, reason: string, work: () => unknown): StoreCheck {
  try {
    work();
    return { name };
  } catch (fault) {
    return failing(name, reason, fault);
  }
}
