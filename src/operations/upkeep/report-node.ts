// Each node reports itself, its keys and what it can derive, so that nothing is used that a node lacks.
import { after, type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import { type Store, writeRow } from '../../store/store.ts';
import { type NodeReport, nodes } from '../../store/tables/leases.ts';
import type { Keyring } from '../../tokens/keyring.ts';
import type { Derivation } from '../../tokens/opaque/pair.ts';
import { isKilled } from './node-name.ts';

/** A node that has not reported for this long counts as gone. */
const RUNNING = seconds(180);
/** Reported again when this old, and at once when the keys have changed. */
const REPORT_EVERY = 20;

/** Reported beside the keys. Nodes up to 0.3.4 do not, and would take the retry of such a pair for a reuse. */
const DERIVES_FROM_ROOT = 'derives-from-root';

export class NodeReporter {
  readonly name: string;
  readonly #keyring: Keyring;
  readonly #store: Store;
  #reported: { readonly keys: string; readonly at: EpochSeconds } | undefined;
  #isAmongEqual = false;

  constructor(name: string, { keyring, store }: { keyring: Keyring; store: Store }) {
    this.name = name;
    this.#keyring = keyring;
    this.#store = store;
  }

  /** Called every few seconds; writes if a report is due. */
  async report(clock: () => EpochSeconds): Promise<void> {
    const { keys: macKeys, signingKeys } = this.#keyring;
    const own = [...macKeys.map(({ fingerprint }) => fingerprint), ...signingKeys.map(({ id }) => id)];
    const keys = [...own, DERIVES_FROM_ROOT];
    const [text, now] = [keys.join(), clock()];
    const last = this.#reported;
    if (last && last.keys === text && Math.abs(now - last.at) < REPORT_EVERY) return;
    await this.#write((at) => ({ name: this.name, keys, endsAt: after(at, RUNNING) }));
    this.#isAmongEqual = (await nodesWithout(DERIVES_FROM_ROOT, this.#store)).length === 0;
    this.#reported = { keys: text, at: now };
  }

  /** Until every node that runs derives from the root, none does. */
  readonly derivation = (): Derivation => (this.#isAmongEqual ? 'root' : 'secret');

  /** Called when the node stops: its keys no longer matter. */
  leave(): Promise<void> {
    return this.#write((at) => ({ name: this.name, keys: [], endsAt: at }));
  }

  async #write(row: (at: EpochSeconds) => NodeReport): Promise<void> {
    await writeRow(this.#store, nodes, this.name, (_, at) => row(at));
  }
}

/** Reports are this old at most while a node runs. */
const REPORTED = seconds(REPORT_EVERY + 5);

/** Whether no node runs but this one, which has not reported yet. `hasEnded`: whether a node is known to have ended, by its name. */
export async function isAlone(store: Store, hasEnded: (name: string) => boolean): Promise<boolean> {
  const now = await store.now();
  const found = await Array.fromAsync(rows(store, nodes));
  return found.every(({ name, endsAt }) => after(endsAt, seconds(REPORTED - RUNNING)) <= now || hasEnded(name));
}

export interface RunningNode extends NodeReport {
  readonly reportedAgo: Seconds;
  readonly countsFor: Seconds;
}

/** A process that is known to have ended does not count; one that may run elsewhere does, until its report is too old. */
export async function runningNodes(store: Store): Promise<readonly RunningNode[]> {
  const now = await store.now();
  const found = await Array.fromAsync(rows(store, nodes));
  return found
    .filter(({ name, endsAt }) => endsAt > now && !isKilled(name))
    .map((node) => ({
      ...node,
      reportedAgo: seconds(now + RUNNING - node.endsAt),
      countsFor: seconds(node.endsAt - now),
    }));
}

/** The running nodes that have not reported this: a MAC key by its fingerprint, a signing key by its id. */
export async function nodesWithout(key: string, store: Store): Promise<readonly RunningNode[]> {
  return (await runningNodes(store)).filter(({ keys }) => !keys.includes(key));
}
