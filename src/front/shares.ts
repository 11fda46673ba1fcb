// How much of a limit is taken: in all, by each address and by each network.
import { neighbourhoodOf, networkOf } from '../core/presenter.ts';

/** What something counts for: everybody, its address (IPv4, or an IPv6 /64), its network. */
export type Origin = readonly string[];

export const ALL = 'all';
/** A proxy, and a request that it forwards without an address. */
export const OF_PROXY: Origin = [ALL];

export function originOf(address: string): Origin {
  return [ALL, networkOf(address), `${neighbourhoodOf(address)} network`];
}

/** The shares are percentages; everybody may have one. */
export function sharesOf(total: number, shares: { readonly addressShare: number; readonly networkShare: number }) {
  const part = (percent: number) => Math.max(1, Math.floor((total * percent) / 100));
  const most = [total, part(shares.addressShare), part(Math.max(shares.addressShare, shares.networkShare))];
  return new Shares(() => most);
}

export class Shares {
  readonly #taken = new Map<string, number>();
  readonly #most: () => readonly number[];

  /** `most`: of each part of an origin. */
  constructor(most: () => readonly number[]) {
    this.#most = most;
  }

  get total(): number {
    return this.#of(ALL);
  }

  /** The first part of an origin that has all it may have; `from`: without the parts before. */
  full(origin: Origin, from = 0): string | undefined {
    const most = this.#most();
    return origin.find((key, at) => at >= from && this.#of(key) >= (most[at] as number));
  }

  take(origin: Origin): void {
    for (const key of origin) this.#taken.set(key, this.#of(key) + 1);
  }

  release(origin: Origin): void {
    for (const key of origin) {
      const left = this.#of(key) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    }
  }

  #of(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}
