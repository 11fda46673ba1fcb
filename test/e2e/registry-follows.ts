// Waits until what was registered applies. That takes at most a second [spec-gaps: Administration], and usually less.
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../../src/store/store.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { signingKeys } from '../../src/store/tables/signing-keys.ts';

const running = new Set<RunningRegistry>();

/** For every service of this process. */
export async function registryFollows(): Promise<void> {
  const read = Promise.all([...running].map((registry) => registry.readAgain()));
  await (running.size > 0 ? Promise.race([read, second()]) : second());
}

/** In short steps: if this process is slow, the service in it is, too, and each step gives it a turn. */
async function second(): Promise<void> {
  for (let step = 0; step < 20; step++) await pause(50);
}

/** Notices when a service reads its registry: it reads the stamp of each table in turn, and the rows if the stamp has changed. */
export class RunningRegistry {
  #begun = 0;
  #waiting: { readonly since: number; readonly resolve: () => void }[] = [];

  constructor() {
    running.add(this);
  }

  watch(store: Store): Store {
    const stamp: Store['stamp'] = async (table) => {
      if (table.name === integrations.name) this.#begun += 1;
      const begun = this.#begun;
      const found = await store.stamp(table);
      if (table.name === signingKeys.name) setTimeout(() => this.#read(begun), 20);
      return found;
    };
    return { ...store, stamp };
  }

  readAgain(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ since: this.#begun, resolve });
    });
  }

  close(): void {
    running.delete(this);
  }

  #read(begun: number): void {
    const waited = this.#waiting;
    this.#waiting = waited.filter(({ since }) => since >= begun);
    for (const { since, resolve } of waited) if (since < begun) resolve();
  }
}
