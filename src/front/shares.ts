// How much of something each address, and each network, holds now.
import { neighbourhoodOf, networkOf } from '../core/presenter.ts';

/** An IPv4 address or an IPv6 /64, inside a wider network. Undefined: a proxy that forwards no address, which counts for nobody. */
export interface Origin {
  readonly address: string;
  readonly network: string;
}

export function originOf(address: string): Origin {
  return { address: networkOf(address), network: `${neighbourhoodOf(address)} network` };
}

export class Shares {
  readonly #held = new Map<string, number>();
  readonly #most: { readonly address: number; readonly network: number };

  /** Percentages of a total, at least one each. */
  constructor(total: number, addressShare: number, networkShare: number) {
    const part = (percent: number) => Math.max(1, Math.floor((total * percent) / 100));
    this.#most = { address: part(addressShare), network: part(Math.max(addressShare, networkShare)) };
  }

  isFull(origin: Origin | undefined): boolean {
    if (!origin) return false;
    const { address, network } = origin;
    return this.#of(address) >= this.#most.address || this.#of(network) >= this.#most.network;
  }

  take(origin: Origin | undefined): void {
    if (!origin) return;
    const { address, network } = origin;
    this.#held.set(address, this.#of(address) + 1);
    this.#held.set(network, this.#of(network) + 1);
  }

  release(origin: Origin | undefined): void {
    if (!origin) return;
    for (const key of [origin.address, origin.network]) {
      const left = this.#of(key) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    }
  }

  #of(key: string): number {
    return this.#held.get(key) ?? 0;
  }
}
