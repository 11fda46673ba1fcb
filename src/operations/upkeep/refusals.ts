// What was refused, by integration, identity and reason: counted in memory, written once a minute.
import { after, type EpochSeconds, epochSeconds, later, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import { rowOf, type Store } from '../../store/store.ts';
import { type RefusalKey, type RefusalRow, refusalKey, refusals } from '../../store/tables/refusals.ts';

export type { RefusalRow };

/** Of one node and minute: unauthenticated clients choose what they are refused for. */
const MOST_KINDS = 500;
const KEPT = seconds(30 * 86_400);

interface Counted extends RefusalKey {
  readonly requestId: string;
  readonly address: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export type RefusedRequest = RefusalKey & Pick<Counted, 'requestId' | 'address'>;

export class RefusalTally {
  #counted = new Map<string, Counted>();

  add(request: RefusedRequest, at: number): void {
    const key = refusalKey(request);
    const before = this.#counted.get(key);
    if (!before && this.#counted.size >= MOST_KINDS) return;
    this.#counted.set(key, { ...request, first: before?.first ?? at, last: at, count: (before?.count ?? 0) + 1 });
  }

  /** What could not be written is counted again. */
  async write(store: Store): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    const news = [...counted.values()];
    if (news.length === 0) return;
    const references = [...counted.keys()].map((key) => rowOf(refusals, key));
    try {
      await store.changeAll(references, (found) => ({
        outcome: undefined,
        next: news.map((each, index) => merged(found[index]?.row, each)),
      }));
    } catch (fault) {
      for (const [key, each] of counted) {
        const later = this.#counted.get(key);
        this.#counted.set(key, later ? { ...later, first: each.first, count: later.count + each.count } : each);
      }
      throw fault;
    }
  }
}

function merged(before: RefusalRow | undefined, { first, last, count, ...news }: Counted): RefusalRow {
  const at = later(before?.last ?? epochSeconds(0), epochSeconds(last));
  return {
    ...news,
    count: count + (before?.count ?? 0),
    first: before?.first ?? epochSeconds(first),
    last: at,
    endsAt: after(at, KEPT),
  };
}

/** The newest first. `clientId`: of one integration. */
export async function refusalsSince(
  since: EpochSeconds,
  { store }: { readonly store: Store },
  clientId?: string,
): Promise<readonly RefusalRow[]> {
  const found: RefusalRow[] = [];
  const from = clientId === undefined ? {} : { after: `${clientId} ` };
  for await (const row of rows(store, refusals, from)) {
    if (clientId !== undefined && row.clientId !== clientId) break;
    if (row.last >= since) found.push(row);
  }
  return found.sort((a, b) => b.last - a.last);
}
