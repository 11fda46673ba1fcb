import { ACT_TYPES, type Event } from '../../core/event.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { eventPages } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { decodeEvent, encodeEvent } from '../../store/tables/events.ts';

const STEP = 500;
/** About 20 MB. */
const MOST = 50_000;
/** Of an act that was committed here and has not been read from the log yet. */
const NOT_READ = 0;

/**
 * The latest revocations and acts of operators, kept in memory in case that the store loses them: those of this node from the moment
 * that they are durable, those of others when they are read from the log.
 */
export class RecentActs {
  readonly #store: Pick<Store, 'events'>;
  /** Sequence numbers by the text of the act. */
  #acts = new Map<string, number>();
  #readTo: number | undefined;
  #era = 0;
  #forgottenAt: EpochSeconds | undefined;

  constructor(store: Pick<Store, 'events'>) {
    this.#store = store;
  }

  /** Another number after `forget`. Undefined before the end of the log was found: numbers of earlier acts are not known. */
  get era(): number | undefined {
    return this.#readTo === undefined ? undefined : this.#era;
  }

  /** Called when a change is durable. `era`: when it began. */
  remember(events: readonly Event[], era: number | undefined): void {
    for (const event of events) {
      if (era === undefined || era !== this.era || !isAct(event)) continue;
      const text = textOf(decodeEvent([NOT_READ, ...encodeEvent(event)]));
      if (!this.#acts.has(text)) this.#acts.set(text, NOT_READ);
    }
    this.#limit();
  }

  /** Reads what was added since the last call; the first only finds the end. `readable`: the log can be read up to there. */
  async follow(readable: number): Promise<void> {
    let readTo = readable;
    if (this.#readTo !== undefined) {
      const query = { after: this.#readTo, acts: true } as const;
      for await (const page of eventPages(this.#store, STEP, query)) {
        for (const act of page) this.#acts.set(textOf(act), act.sequence);
        readTo = Math.max(readTo, page.at(-1)?.sequence ?? 0);
      }
    }
    this.#readTo = readTo;
    this.#limit();
  }

  /** The acts that the store no longer has, except those that were swept: everything before them is gone too. */
  async lost(): Promise<readonly LoggedEvent[]> {
    if (this.#acts.size === 0) return [];
    const read = [...this.#acts.values()].filter((sequence) => sequence !== NOT_READ);
    const first = read.reduce((a, b) => Math.min(a, b - 1), this.#readTo ?? 0);
    const kept = new Set<string>();
    for await (const page of eventPages(this.#store, STEP, { after: first, acts: true }))
      for (const act of page) kept.add(textOf(act));
    const [oldest] = await this.#store.events({ after: 0, limit: 1 });
    let unread = this.#readTo ?? 0;
    return [...this.#acts]
      .filter(([text, sequence]) => !kept.has(text) && (sequence === NOT_READ || sequence >= (oldest?.sequence ?? 0)))
      .map(([text, sequence]) => ({ ...JSON.parse(text), sequence: sequence === NOT_READ ? ++unread : sequence }));
  }

  /** Whether everything since then is remembered. */
  covers(since: EpochSeconds): boolean {
    return this.#forgottenAt === undefined || this.#forgottenAt < since;
  }

  forget(): void {
    this.#acts = new Map();
    this.#readTo = undefined;
    this.#era += 1;
  }

  #limit(): void {
    for (const text of this.#acts.keys()) {
      if (this.#acts.size <= MOST) return;
      this.#acts.delete(text);
      this.#forgottenAt = JSON.parse(text).at;
    }
  }
}

function isAct({ type }: Event): boolean {
  return (ACT_TYPES as readonly string[]).includes(type);
}

function textOf(act: LoggedEvent): string {
  return JSON.stringify({ ...act, sequence: NOT_READ });
}
