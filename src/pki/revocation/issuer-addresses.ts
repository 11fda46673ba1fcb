// Limits how many addresses we contact for the certificates below one approved issuer.
import type { EpochSeconds } from '../../core/time.ts';

/** An address that never served a trusted list can be replaced by another after this time. */
const UNPROVEN_SECONDS = 3600;

interface Visited {
  readonly since: EpochSeconds;
  hasServed: boolean;
}

export class IssuerAddresses {
  readonly #most: number;
  readonly #byIssuer = new Map<string, Map<string, Visited>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the address may be contacted for this issuer. */
  admit(label: string, url: string, now: EpochSeconds): boolean {
    const visited = this.#byIssuer.get(label) ?? new Map<string, Visited>();
    this.#byIssuer.set(label, visited);
    if (visited.has(url)) return true;
    if (visited.size >= this.#most) dropUnproven(visited, now);
    if (visited.size >= this.#most) return false;
    visited.set(url, { since: now, hasServed: false });
    return true;
  }

  /** Call when the address served trusted data; it then keeps its slot. */
  serves(url: string): void {
    for (const visited of this.#byIssuer.values()) {
      const found = visited.get(url);
      if (found) found.hasServed = true;
    }
  }

  forget(url: string): void {
    for (const visited of this.#byIssuer.values()) visited.delete(url);
  }
}

function dropUnproven(visited: Map<string, Visited>, now: EpochSeconds): void {
  for (const [url, { since, hasServed }] of visited) {
    if (!hasServed && now >= since + UNPROVEN_SECONDS) visited.delete(url);
  }
}
