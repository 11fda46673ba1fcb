import { withOutage } from '../core/rules/outage.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Store, StoreUnavailable } from './store.ts';
import { SERVICE, serviceTimes } from './tables/service-times.ts';

/** Throws if this cannot be the time. */
export type Admit = (now: EpochSeconds) => void;

/**
 * A store that notices when it cannot answer. The first change after that records the outage before anything is decided,
 * so that no decision counts a retry window from a time when nobody could be answered (core/rules/outage.ts).
 */
export function recordingOutages(store: Store, admit: Admit = () => undefined): Store {
  const outages = new Outages(store, admit);
  return {
    ...store,
    load: (table, key) =>
      store.load(table, key).then((loaded) => {
        admit(loaded.now);
        return loaded;
      }, outages.note),
    change: (table, key, decide) =>
      outages.recorded(() => store.change(table, key, (found, now) => decide(found, outages.answeredAt(now)))),
    changeAll: (rows, decide) =>
      outages.recorded(() => store.changeAll(rows, (found, now) => decide(found, outages.answeredAt(now)))),
    create: (table, key, decide) =>
      outages.recorded(() => store.create(table, key, (now) => decide(outages.answeredAt(now)))),
    now: () =>
      store
        .now()
        .then((now) => outages.answeredAt(now))
        .catch(outages.note),
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
      // any real request gets the error
    }
  }

  /** Notes a fault of the store and throws it again. */
  readonly note = (fault: unknown): never => {
    if (fault instanceof StoreUnavailable) this.#silentFrom ??= this.#lastAnswer;
    throw fault;
  };

  recorded<T>(change: () => Promise<T>): Promise<T> {
    if (this.#silentFrom === undefined) return change().catch(this.note);
    return this.#record(this.#silentFrom).then(change).catch(this.note);
  }

  /** Once for all waiting callers. */
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
