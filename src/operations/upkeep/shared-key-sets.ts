import type { SharedKeySet } from '../../core/shared-key-set.ts';
import { seconds } from '../../core/time.ts';
import { keySets } from '../../store/tables/key-sets.ts';
import type { Ports } from '../ports.ts';
import { byOneNode } from './lease.ts';

/** If a node dies while fetching, the others wait no longer than this. */
const FETCHING = seconds(10);

/** Shares the keys of token issuers through the store: one node fetches, all read. The interface is in src/assertions. */
export class SharedKeySets {
  readonly #ports: Pick<Ports, 'store'>;

  constructor(ports: Pick<Ports, 'store'>) {
    this.#ports = ports;
  }

  async find(name: string): Promise<SharedKeySet | undefined> {
    return (await this.#ports.store.load(keySets, name)).found?.row;
  }

  byOne(name: string, work: () => Promise<unknown>): Promise<boolean> {
    return byOneNode({ name: `keys ${name}`, lasts: FETCHING, endsWithWork: true }, work, this.#ports);
  }

  share(next: SharedKeySet): Promise<void> {
    return this.#ports.store.change(keySets, next.name, () => ({ outcome: undefined, next }));
  }
}
