// How many places, connections and event streams each address, and its network, holds now.
import { neighbourhoodOf, networkOf } from '../../core/presenter.ts';

interface Tally {
  places: number;
  connections: number;
  streams: number;
  /** Parties or networks without users are forgotten. */
  users: number;
}

/** A caller as limits see it: an IPv4 address or an IPv6 /64, inside a wider network. */
export interface Party {
  readonly key: string;
  readonly network: Tally & { readonly key: string };
  places: number;
  connections: number;
  streams: number;
  users: number;
}

export class Shares {
  readonly #parties = new Map<string, Party>();
  readonly #networks = new Map<string, Party['network']>();

  /** Every `enter` needs one `leave`. */
  enter(address: string): Party {
    const key = networkOf(address);
    const party = this.#parties.get(key) ?? this.#newParty(key, address);
    party.users += 1;
    return party;
  }

  leave(party: Party): void {
    party.users -= 1;
    if (party.users > 0) return;
    this.#parties.delete(party.key);
    party.network.users -= 1;
    if (party.network.users === 0) this.#networks.delete(party.network.key);
  }

  #newParty(key: string, address: string): Party {
    const networkKey = neighbourhoodOf(address);
    const network = this.#networks.get(networkKey) ?? {
      key: networkKey,
      places: 0,
      connections: 0,
      streams: 0,
      users: 0,
    };
    network.users += 1;
    this.#networks.set(networkKey, network);
    const party = { key, network, places: 0, connections: 0, streams: 0, users: 0 };
    this.#parties.set(key, party);
    return party;
  }
}

/** The most that one party, and one network, may hold of something. */
export interface ShareLimit {
  readonly perAddress: number;
  readonly perNetwork: number;
}

/** Percentages of a total, at least one each. */
export function shareLimit(total: number, addressShare: number, networkShare: number): ShareLimit {
  const part = (percent: number) => Math.max(1, Math.floor((total * percent) / 100));
  return { perAddress: part(addressShare), perNetwork: part(Math.max(addressShare, networkShare)) };
}

export function isOverShare(party: Party, what: 'places' | 'connections' | 'streams', limit: ShareLimit): boolean {
  return party[what] >= limit.perAddress || party.network[what] >= limit.perNetwork;
}
