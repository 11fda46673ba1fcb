import { eventPages } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';

const STEP = 500;
/** About 3 MB. */
const MOST = 10_000;

/** The latest revocations and acts of operators in the event log, kept in memory in case that the store loses them. */
export class RecentActs {
  readonly #store: Pick<Store, 'events'>;
  #acts: readonly LoggedEvent[] = [];
  #readTo: number | undefined;

  constructor(store: Pick<Store, 'events'>) {
    this.#store = store;
  }

  /** Reads what was added since the last call; the first only finds the end. `readable`: the log can be read up to there. */
  async follow(readable: number): Promise<void> {
    const added: LoggedEvent[] = [];
    if (this.#readTo !== undefined) {
      const query = { after: this.#readTo, acts: true } as const;
      for await (const page of eventPages(this.#store, STEP, query)) added.push(...page);
    }
    if (added.length > 0) this.#acts = [...this.#acts, ...added].slice(-MOST);
    this.#readTo = Math.max(readable, added.at(-1)?.sequence ?? 0);
  }

  /** The acts that the store no longer has, except those that were swept: everything before them is gone too. */
  async lost(): Promise<readonly LoggedEvent[]> {
    const [first] = this.#acts;
    if (!first) return [];
    const kept = new Set<string>();
    const query = { after: first.sequence - 1, acts: true } as const;
    for await (const page of eventPages(this.#store, STEP, query))
      for (const act of page) kept.add(JSON.stringify(act));
    const [oldest] = await this.#store.events({ after: 0, limit: 1 });
    const isLost = (act: LoggedEvent) => act.sequence >= (oldest?.sequence ?? 0) && !kept.has(JSON.stringify(act));
    return this.#acts.filter(isLost);
  }

  forget(): void {
    this.#acts = [];
    this.#readTo = undefined;
  }
}
