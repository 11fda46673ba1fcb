import { withOutage } from '../core/rules/outage.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Store, StoreUnavailable } from './store.ts';
import { SERVICE, serviceTimes } from './tables/service-times.ts';

/**
 * A store that notices when it cannot answer. The first change after that records the outage before anything is decided,
 * so that no decision counts a retry window from a time when nobody could be answered (core/rules/outage.ts).
 */
export function recordingOutages(store: Store): Store {
  const outages = new Outages(store);
  return {
    ...store,
    load: (table, key) => outages.watch(store.load(table, key)),
    change: (table, key, decide) =>
      outages.recorded(() => store.change(table, key, (found, now) => decide(found, outages.answeredAt(now)))),
    create: (table, key, decide) =>
      outages.recorded(() => store.create(table, key, (now) => decide(outages.answeredAt(now)))),
    now: async () => outages.answeredAt(await outages.watch(store.now())),
    examine: async () => {
      const report = await store.examine();
      if (report.now !== undefined) outages.answeredAt(report.now);
      return report;
    },
  };
}

class Outages {
  readonly #store: Store;
  #lastAnswer: EpochSeconds | undefined;
  #silentFrom: EpochSeconds | undefined;
  #recording: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  answeredAt(now: EpochSeconds): EpochSeconds {
    if (this.#silentFrom === undefined) this.#lastAnswer = now;
    return now;
  }

  async watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (fault) {
      if (fault instanceof StoreUnavailable) this.#silentFrom ??= this.#lastAnswer;
      throw fault;
    }
  }

  async recorded<T>(change: () => Promise<T>): Promise<T> {
    if (this.#silentFrom !== undefined) await this.#record(this.#silentFrom);
    return this.watch(change());
  }

  /** Once for all who wait. */
  #record(silentFrom: EpochSeconds): Promise<void> {
    this.#recording ??= this.#store
      .change(serviceTimes, SERVICE, (found, answeringSince) => ({
        outcome: undefined,
        next: withOutage(found?.row, { silentFrom, answeringSince }),
      }))
      .then(() => {
        this.#silentFrom = undefined;
      })
      .finally(() => {
        this.#recording = undefined;
      });
    return this.#recording;
  }
}
