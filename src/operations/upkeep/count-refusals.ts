// What was refused: one row per integration, identity and reason, so that operators see it without a log.
import type { ClaimedCaller } from '../../core/refusal.ts';
import { WAITING } from '../../core/refusals/grants.ts';
import { rows } from '../../store/pages.ts';
import { writeRow } from '../../store/store.ts';
import { type RefusalCount, refusalCounts } from '../../store/tables/figures.ts';
import type { CallerPorts, Ports } from '../ports.ts';

export interface RefusedRequest {
  readonly clientId?: string | undefined;
  readonly identityId?: string | undefined;
  readonly reason: string;
  readonly requestId: string;
  readonly claimed?: ClaimedCaller | undefined;
}

/** As many are written within seconds: whoever looks for the cause of one finds it. A flood waits for the minute. */
const FEW = 20;
/** The most rows of one node's minute, and of the store. Beyond, refusals count by their reason alone. */
const MOST_COUNTED = 500;
const MOST_STORED = 2_000;

export class RefusalCounts {
  readonly #ports: Pick<Ports, 'store' | 'registry' | 'clock'>;
  #counted = new Map<string, RefusalCount>();

  constructor(ports: Pick<Ports, 'store' | 'registry' | 'clock'>) {
    this.#ports = ports;
  }

  /** Names that callers made up are not counted by name, and those who wait for a person not at all. */
  count({ clientId = '', identityId = '', reason, requestId, claimed }: RefusedRequest): void {
    if (reason in WAITING) return;
    const { registry, clock } = this.#ports;
    const now = clock.now();
    const known = registry.integration(clientId) ? clientId : '';
    const times = { count: 1, first: now, last: now, lastRequestId: requestId };
    const refusal = {
      clientId: known,
      identityId,
      reason,
      ...times,
      ...(claimed && { claimed: { ...claimed, requestId } }),
    };
    const key = keyOf(refusal);
    const isFull = this.#counted.size >= MOST_COUNTED && !this.#counted.has(key);
    add(this.#counted, isFull ? byReason(refusal) : { ...refusal, key });
  }

  /** What this node has counted but not written yet. */
  get unwritten(): readonly RefusalCount[] {
    return [...this.#counted.values()];
  }

  async flushFew(): Promise<void> {
    if (this.#counted.size <= FEW) await this.flush();
  }

  /** Adds what was counted to the rows of the store. What cannot be written is counted again with the next minute. */
  async flush(): Promise<void> {
    if (this.#counted.size === 0) return;
    const { store } = this.#ports;
    const stored = new Set((await Array.fromAsync(rows(store, refusalCounts))).map(({ key }) => key));
    const counted = this.#counted;
    this.#counted = new Map();
    const fitting = new Map<string, RefusalCount>();
    for (const row of counted.values())
      add(fitting, stored.has(row.key) || stored.size + fitting.size < MOST_STORED ? row : byReason(row));
    const written = [...fitting.values()].map((row) => this.#write(row));
    const failed = (await Promise.allSettled(written)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async #write(row: RefusalCount): Promise<void> {
    try {
      await writeRow(this.#ports.store, refusalCounts, row.key, (found) => (found ? sum(found, row) : row));
    } catch (fault) {
      add(this.#counted, row);
      throw fault;
    }
  }
}

/** What is stored, and what this node has not written yet: counts of other nodes are some seconds old, in a flood a minute. */
export async function readRefusals({
  store,
  unwrittenRefusals,
}: Pick<CallerPorts, 'store' | 'unwrittenRefusals'>): Promise<RefusalCount[]> {
  const counts = new Map((await Array.fromAsync(rows(store, refusalCounts))).map((row) => [row.key, row]));
  for (const row of unwrittenRefusals?.() ?? []) add(counts, row);
  return [...counts.values()];
}

function keyOf({ clientId, identityId, reason }: Omit<RefusalCount, 'key'>): string {
  return `${reason} ${identityId} ${clientId}`;
}

function byReason({ ...row }: Omit<RefusalCount, 'key'>): RefusalCount {
  const refusal = { ...row, clientId: '', identityId: '' };
  return { ...refusal, key: keyOf(refusal) };
}

function add(counts: Map<string, RefusalCount>, row: RefusalCount): void {
  const before = counts.get(row.key);
  counts.set(row.key, before ? sum(before, row) : row);
}

function sum(before: RefusalCount, row: RefusalCount): RefusalCount {
  const [newer, older] = row.last >= before.last ? [row, before] : [before, row];
  const { last, lastRequestId } = newer;
  const [claimed] = [newer, older].flatMap((each) => each.claimed ?? []).sort(byProof);
  return { ...before, count: before.count + row.count, last, lastRequestId, ...(claimed && { claimed }) };
}

/** One that an issuer signed is not hidden by what anybody can send. */
function byProof(a: ClaimedCaller, b: ClaimedCaller): number {
  return Number(a.label === undefined) - Number(b.label === undefined);
}
