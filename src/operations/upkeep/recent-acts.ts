import { ACT_TYPES, type Event } from '../../core/event.ts';
import type { GrantId } from '../../core/grant.ts';
import { actKey } from '../../core/rules/rollback.ts';
import { eventPages } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { decodeEvent, encodeEvent } from '../../store/tables/events.ts';
import { grants } from '../../store/tables/grants.ts';

const ACTS: readonly string[] = ACT_TYPES;
const STEP = 1_000;
/** About 25 MB. */
const MOST = 50_000;
/** Of an act that was committed here and has not been read from the log yet. */
const NOT_READ = 0;

/** The latest revocations and acts of operators, in case that the store loses them: ours once they are durable, others when they are read from the log. */
export class RecentActs {
  readonly #store: Pick<Store, 'events' | 'load'>;
  /** The texts of the acts, by actKey. */
  #acts = new Map<string, string>();
  #readTo: number | undefined;
  #before: Pick<LoggedEvent, 'sequence'> | undefined;
  #era = 0;

  constructor(store: Pick<Store, 'events' | 'load'>) {
    this.#store = store;
  }

  /** Another number after `forget`. Undefined before the end of the log was found: numbers of earlier acts are not known. */
  get era(): number | undefined {
    return this.#readTo === undefined ? undefined : this.#era;
  }

  /** The last event before those that are remembered: a store that still has it lost no other act. Its number is 0 if there was none. */
  get before(): Pick<LoggedEvent, 'sequence'> | undefined {
    return this.#before;
  }

  /** Called when a change is durable. `era`: when it began. */
  remember(events: readonly Event[], era: number | undefined): void {
    for (const event of events) {
      if (era === undefined || era !== this.era || !ACTS.includes(event.type)) continue;
      const act = decodeEvent([NOT_READ, ...encodeEvent(event)]);
      const key = actKey(act);
      if (!this.#acts.has(key)) this.#acts.set(key, JSON.stringify(act));
    }
    this.#limit();
  }

  /** Reads what was added since the last call. The first only finds the end: `readable`, behind the `newest` event. */
  async follow(readable: number, newest: LoggedEvent | undefined): Promise<void> {
    let readTo = readable;
    if (this.#readTo === undefined) this.#before = newest ?? { sequence: 0 };
    else
      for await (const page of eventPages(this.#store, STEP, { after: this.#readTo, acts: true })) {
        for (const act of page) this.#acts.set(actKey(act), JSON.stringify(act));
        readTo = Math.max(readTo, page.at(-1)?.sequence ?? 0);
      }
    this.#readTo = readTo;
    this.#limit();
  }

  /** The acts that the store no longer has, except those that were swept: everything before them is gone too. */
  async lost(): Promise<readonly LoggedEvent[]> {
    if (this.#acts.size === 0) return [];
    const acts = [...this.#acts.values()].map((text): LoggedEvent => JSON.parse(text));
    const start = this.#readTo ?? 0;
    const first = acts.reduce((least, { sequence }) => Math.min(least, (sequence || start) - 1), start);
    const kept = new Set<string>();
    for await (const page of eventPages(this.#store, STEP, { after: first, acts: true, isComplete: false }))
      for (const act of page) kept.add(actKey(act));
    const [oldest] = await this.#store.events({ after: 0, limit: 1 });
    const isMissing = (act: LoggedEvent) =>
      oldest && !kept.has(actKey(act)) && (act.sequence === NOT_READ || act.sequence >= oldest.sequence);
    const missing = await Promise.all(acts.filter(isMissing).map((act) => this.#unlessStillEnded(act)));
    return missing.flat().map((act, n) => (act.sequence === NOT_READ ? { ...act, sequence: start + n + 1 } : act));
  }

  /** Somebody may have removed the event alone, and a grant that does not exist need not end. */
  async #unlessStillEnded(act: LoggedEvent): Promise<LoggedEvent[]> {
    if (act.type !== 'revoked' || act.subjectId === undefined) return [act];
    const { found } = await this.#store.load(grants, act.subjectId as GrantId);
    return found && !found.row.revoked ? [act] : [];
  }

  forget(): void {
    this.#acts = new Map();
    this.#readTo = undefined;
    this.#before = undefined;
    this.#era += 1;
  }

  #limit(): void {
    for (const [key, text] of this.#acts) {
      if (this.#acts.size <= MOST) return;
      this.#acts.delete(key);
      const act: LoggedEvent = JSON.parse(text);
      this.#before = act.sequence === NOT_READ ? undefined : act;
    }
  }
}
