import type { Ports } from '../../operations/ports.ts';

/** One thing that must hold for the service to serve; it throws where it does not. */
export interface ReadinessCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

const CLOCK_TOLERANCE = 30;

export function readinessChecks({ store, keyring, clock }: Ports): readonly ReadinessCheck[] {
  const storeTime = shared(
    () => store.now(),
    () => clock.milliseconds(),
  );
  return [
    { name: 'store', check: async () => void (await storeTime()) },
    { name: 'keys', check: async () => void keyring.minting },
    {
      name: 'clock',
      check: async () => {
        const apart = Math.abs((await storeTime()) - clock.now());
        if (apart > CLOCK_TOLERANCE) throw new Error(`the clocks of node and store are ${apart} seconds apart`);
      },
    },
  ];
}

const KEPT_MS = 1_000;

/** One question at a time, and its answer for a second: whoever asks for readiness in a loop asks the store no more for it. */
function shared<T>(ask: () => Promise<T>, milliseconds: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let answeredAt: number | undefined;
  return () => {
    const isOld = answeredAt !== undefined && Math.abs(milliseconds() - answeredAt) >= KEPT_MS;
    if (!answer || isOld) {
      answeredAt = undefined;
      answer = ask().finally(() => {
        answeredAt = milliseconds();
      });
    }
    return answer;
  };
}
