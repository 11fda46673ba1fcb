// Figures over time: each node writes what it counted once a minute, and any node reads those of all.
import { type Counts, type Figures, type LivingGrants, since, sum } from '../../core/figures.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../../core/time.ts';
import { byOneNode } from '../../store/lease.ts';
import { rows } from '../../store/pages.ts';
import { rowOf, type Store, type StorePort } from '../../store/store.ts';
import { figures, type KeptFigures, stretchKey } from '../../store/tables/figures.ts';
import { grants } from '../../store/tables/grants.ts';

const [MINUTE, QUARTER, HOUR, DAY] = [60, 900, 3600, 86_400] as const;
/** How long figures are kept. A row of each step is written every minute, so that none has to be computed from others later. */
const KEPT = [
  { step: MINUTE, lasts: 2 * DAY },
  { step: QUARTER, lasts: 2 * DAY },
  { step: HOUR, lasts: 30 * DAY },
] as const;

/** What can be shown: how long a span is, by rows of which step, and the length of time of a point. */
export const SPANS = {
  hour: { length: HOUR, step: MINUTE, every: MINUTE },
  day: { length: DAY, step: QUARTER, every: QUARTER },
  month: { length: 30 * DAY, step: HOUR, every: 4 * HOUR },
} as const;
export type Span = keyof typeof SPANS;

export interface FigureSource {
  readonly totals: () => Counts;
  readonly lag: () => number;
  readonly version: string;
}

export class FigureKeeper {
  readonly #node: string;
  readonly #store: Store;
  readonly #source: FigureSource;
  #written: Counts = {};
  #minute: EpochSeconds | undefined;
  #living: LivingGrants | undefined;

  constructor(node: string, { store }: StorePort, source: FigureSource) {
    this.#node = node;
    this.#store = store;
    this.#source = source;
  }

  /** Called every few seconds; writes once a minute, and when the node stops. What could not be written is written with the next minute. */
  async keep(now: EpochSeconds, isLast = false): Promise<void> {
    const minute = floorTo(now, MINUTE);
    const at = this.#minute ?? minute;
    this.#minute = at;
    if (minute === at && !isLast) return;
    const totals = this.#source.totals();
    const living = this.#living;
    await this.#write(at, since(this.#written, totals), living);
    this.#written = totals;
    this.#minute = minute;
    if (this.#living === living) this.#living = undefined;
  }

  /** To be written with the next minute. */
  counted(living: LivingGrants): void {
    this.#living = living;
  }

  /** What this node has counted but not written yet. */
  get unwritten(): Figures {
    const at = this.#minute ?? epochSeconds(0);
    return this.#figures(MINUTE, at, since(this.#written, this.#source.totals()), this.#living);
  }

  #figures(step: number, at: EpochSeconds, counts: Counts, living: LivingGrants | undefined): Figures {
    const [node, version, lag] = [this.#node, this.#source.version, this.#source.lag()];
    return { step, at: floorTo(at, step), node, version, lag, counts, ...(living && { living }) };
  }

  #write(at: EpochSeconds, counts: Counts, living: LivingGrants | undefined): Promise<void> {
    const parts = KEPT.map(({ step, lasts }) => {
      const part = this.#figures(step, at, counts, living);
      return { ...part, endsAt: after(part.at, seconds(step + lasts)) };
    });
    const references = parts.map((part) => rowOf(figures, stretchKey(part)));
    return this.#store.changeAll(references, (found) => ({
      outcome: undefined,
      next: parts.map((part, at): KeptFigures => {
        const before = found[at]?.row;
        return before ? { ...before, ...part, counts: sum([before.counts, part.counts]) } : part;
      }),
    }));
  }
}

function floorTo(at: EpochSeconds, step: number): EpochSeconds {
  return epochSeconds(at - (at % step));
}

/** What all nodes did in a stretch of time. `living`: as last counted. */
export interface Point {
  readonly at: EpochSeconds;
  readonly counts: Counts;
  readonly living: LivingGrants | undefined;
}

export interface FiguresOver {
  /** Its points, oldest first, without gaps. The last is not complete yet. */
  readonly points: readonly Point[];
  /** The newest report of each node that wrote within the last minutes. */
  readonly nodes: readonly Figures[];
}

/** `unwritten`: of this node, so that a single node shows what happened a moment ago. */
export async function figuresOver(span: Span, { store }: StorePort, unwritten: Figures): Promise<FiguresOver> {
  const { length, step, every } = SPANS[span];
  const now = await store.now();
  const last = floorTo(now, every);
  const first = epochSeconds(last - length + every);
  const read = [...(await rowsSince(store, step, first)), unwritten];
  const recent = await rowsSince(store, MINUTE, epochSeconds(now - RECENT));
  const byPoint = Map.groupBy(read, ({ at }) => floorTo(at, every));
  let living: LivingGrants | undefined;
  const points = Array.from({ length: length / every }, (_, index) => {
    const at = epochSeconds(first + index * every);
    const found = byPoint.get(at) ?? [];
    living = found.findLast((each) => each.living)?.living ?? living;
    return { at, counts: sum(found.map(({ counts }) => counts)), living };
  });
  const nodes = new Map([...recent, unwritten].map((row) => [row.node, row]));
  return { points, nodes: [...nodes.values()] };
}

/** A node that has not written for this long is not shown. */
const RECENT = 3 * MINUTE;

async function rowsSince(store: Store, step: number, first: EpochSeconds): Promise<Figures[]> {
  const found: Figures[] = [];
  for await (const row of rows(store, figures, { after: stretchKey({ step, at: first }) })) {
    if (row.step !== step) break;
    found.push(row);
  }
  return found;
}

/** Rows read in one step: few, so that requests do not wait long. */
const READ_AT_ONCE = 1000;
const DAYS = 30;
/** No grant lives this long. */
const FAR = 100 * 365 * DAY;

/** One node counts for all, the less often the more it has to read. Returns what was counted last. */
export async function countByOne(
  keeper: FigureKeeper,
  { store }: StorePort,
  pause: () => Promise<void>,
): Promise<LivingGrants | undefined> {
  const last = (await figuresOver('hour', { store }, keeper.unwritten)).points.at(-1)?.living;
  const lasts = seconds(Math.min(900, Math.max(50, (last?.read ?? last?.all ?? 0) / READ_AT_ONCE)));
  const work = async () => keeper.counted(await countLiving({ store }, pause));
  await byOneNode({ name: 'counting grants', lasts }, work, { store });
  return last;
}

/** In small steps; `pause` gives requests a turn. */
export async function countLiving({ store }: StorePort, pause: () => Promise<void>): Promise<LivingGrants> {
  const now = await store.now();
  let readInAll = 0;
  const count = async (from: number, before: number): Promise<number> => {
    const most = before - from > 1 ? READ_AT_ONCE : Number.MAX_SAFE_INTEGER;
    const time = { from: epochSeconds(now + from), before: epochSeconds(now + before) };
    const { read, living } = await store.countEnding(grants, time, most);
    readInAll += read;
    if (read > 0) await pause();
    if (read < most) return living;
    const middle = from + Math.floor((before - from) / 2);
    return (await count(from, middle)) + (await count(middle, before));
  };
  const endingByDay: number[] = [];
  for (let day = 0; day < DAYS; day++) endingByDay.push(await count(day * DAY, (day + 1) * DAY));
  const later = await count(DAYS * DAY, FAR);
  return { all: endingByDay.reduce((total, each) => total + each, later), endingByDay, read: readInAll };
}
