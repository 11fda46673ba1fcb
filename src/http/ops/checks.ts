import type { Ports } from '../../operations/ports.ts';

/** One thing that must hold for the service to serve; it throws where it does not. */
export interface ReadinessCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

const CLOCK_TOLERANCE = 30;

export function readinessChecks({ store, keyring, clock }: Ports): readonly ReadinessCheck[] {
  return [
    { name: 'store', check: async () => void (await store.now()) },
    { name: 'keys', check: async () => void keyring.minting },
    {
      name: 'clock',
      check: async () => {
        const apart = Math.abs((await store.now()) - clock.now());
        if (apart > CLOCK_TOLERANCE) throw new Error(`the clocks of node and store are ${apart} seconds apart`);
      },
    },
  ];
}
