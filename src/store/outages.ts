import { shared } from '../core/once-per.ts';
import { isOutage, withOutage } from '../core/rules/outage.ts';
import type { Outage } from '../core/service-times.ts';
import { between, type EpochSeconds, earlier } from '../core/time.ts';
import { RowUnavailable, type Store, StoreUnavailable, writeRow } from './store.ts';
import { SERVICE, serviceTimes } from './tables/service-times.ts';

/** Throws if this cannot be the time. */
export type Admit = (now: EpochSeconds) => void;

/** If more rows than this fail within SHORT, it is the store. */
const MOST_ROWS = 10;
/** In seconds. */
const SHORT = 10;
/** In seconds: for how long a row that nobody asks for again counts. */
const ROW_FORGOTTEN = 3600;

/** Records an outage before the next decision, so that no retry window counts from it (core/rules/outage.ts). */
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
      outages.recorded(() => store.change(table, key, (found, now) => decide(found, outages.answeredAt(now))), key),
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

/** A row that could not be changed: when the first and the last attempt began. */
interface LockedRow {
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
}

class Outages {
  readonly #store: Store;
  readonly #admit: Admit;
  #lastAnswer: EpochSeconds | undefined;
  #silentFrom: EpochSeconds | undefined;
  /** Once for all waiting callers. */
  readonly #record = shared(async () => {
    if (this.#silentFrom !== undefined) await this.#write(this.#silentFrom);
    this.#silentFrom = undefined;
  });
  readonly #rows = new Map<string, LockedRow>();

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
    if (fault instanceof StoreUnavailable && !isOfRow(fault)) this.#silentFrom ??= this.#lastAnswer;
    throw fault;
  };

  /** `row`: the key of the row, if the change needs only one. */
  recorded<T>(change: () => Promise<T>, row?: string): Promise<T> {
    const begunAt = this.#lastAnswer;
    const noted = () => change().catch((fault) => this.#noteOf(row, begunAt, fault));
    if (this.#silentFrom === undefined && this.#rows.size === 0) return noted();
    return this.#recordAll(row).then(noted).catch(this.note);
  }

  /** The trouble of one row is not an outage of the service. */
  #noteOf(row: string | undefined, begunAt: EpochSeconds | undefined, fault: unknown): never {
    if (row === undefined || begunAt === undefined || !isOfRow(fault)) return this.note(fault);
    for (const [key, { last }] of this.#rows) if (between(last, begunAt) > ROW_FORGOTTEN) this.#rows.delete(key);
    this.#rows.set(row, { first: this.#rows.get(row)?.first ?? begunAt, last: begunAt });
    const recent = [...this.#rows].filter(([, { last }]) => between(last, begunAt) <= SHORT);
    if (recent.length > MOST_ROWS) {
      this.#silentFrom ??= recent.map(([, { last }]) => last).reduce(earlier);
      for (const [key] of recent) this.#rows.delete(key);
    }
    throw fault;
  }

  async #recordAll(row: string | undefined): Promise<void> {
    if (this.#silentFrom !== undefined) await this.#record();
    const locked = row === undefined ? undefined : this.#rows.get(row);
    if (row === undefined || locked === undefined) return;
    await this.#write(locked.first, row);
    this.#rows.delete(row);
  }

  #write(silentFrom: EpochSeconds, of?: string): Promise<unknown> {
    return writeRow(this.#store, serviceTimes, SERVICE, (row, answeringSince) => {
      this.#admit(answeringSince);
      const outage: Outage = { silentFrom, answeringSince, ...(of !== undefined && { of }) };
      return isOutage(outage) ? withOutage(row, outage) : undefined;
    });
  }
}

function isOfRow(fault: unknown): boolean {
  return fault instanceof RowUnavailable || (fault instanceof Error && fault.cause instanceof RowUnavailable);
}
