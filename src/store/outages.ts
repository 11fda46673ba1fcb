import { withOutage } from '../core/rules/outage.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Store, StoreUnavailable } from './store.ts';
import { SERVICE, serviceTimes } from './tables/service-times.ts';

/** Throws where this cannot be the time. */
export type Admit = (now: EpochSeconds) => void;

/**
 * A store that notices when it cannot answer. The first change after that records the outage before anything is decided,
 * so that no decision counts a retry window from a time when nobody could be answered (core/rules/outage.ts).
 */
export function recordingOutages(store: Store, admit: Admit = () => undefined): Store {
  const outages = new Outages(store, admit);
  return {
    ...store,
    load: async (table, key) => {
      const loaded = await outages.watch(store.load(table, key));
      admit(loaded.now);
      return loaded;
    },
    change: (table, key, decide) =>
      outages.recorded(() => store.change(table, key, (found, now) => decide(found, outages.answeredAt(now)))),
    create: (table, key, decide) =>
      outages.recorded(() => store.create(table, key, (now) => decide(outages.answeredAt(now)))),
    now: () => outages.watch(store.now().then((now) => outages.answeredAt(now))),
    examine: async () => {
      const report = await store.examine();
      if (report.now !== undefined) outages.seenAt(report.now);
      return report;
    },
  };
}

class Outages {
  readonly #store: Store;
  readonly #admit: Admit;
  #lastAnswer: EpochSeconds | undefined;
  #silentFrom: EpochSeconds | undefined;
  #recording: Promise<void> | undefined;

  constructor(store: Store, admit: Admit) {
    this.#store = store;
    this.#admit = admit;
  }

  answeredAt(now: EpochSeconds): EpochSeconds {
    this.#admit(now);
    if (this.#silentFrom === undefined) this.#lastAnswer = now;
    return now;
  }

  seenAt(now: EpochSeconds): void {
    try {
      this.answeredAt(now);
    } catch {
      // whoever asks for more than a look is told
    }
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
      .change(serviceTimes, SERVICE, (found, answeringSince) => {
        this.#admit(answeringSince);
        return { outcome: undefined, next: withOutage(found?.row, { silentFrom, answeringSince }) };
      })
      .then(() => {
        this.#silentFrom = undefined;
      })
      .finally(() => {
        this.#recording = undefined;
      });
    return this.#recording;
  }
}
