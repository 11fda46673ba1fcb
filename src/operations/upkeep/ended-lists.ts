import type { Hex } from '../../core/hex.ts';
import { after, seconds } from '../../core/time.ts';
import type { StorePort } from '../../store/store.ts';
import { endedLists } from '../../store/tables/leases.ts';
import { revokeByCertificate } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

const DAY = 86_400;
/** After this time a list is processed once more at the next start. */
const REMEMBERED = seconds(35 * DAY);

/** The lists that this machine has processed, so that a restart need not repeat it. Per machine: lists from files, and their times, differ. */
export class EndedLists {
  readonly #store: Ports['store'];
  readonly #machine: string;

  constructor({ store }: StorePort, machine: string) {
    this.#store = store;
    this.#machine = machine;
  }

  async has(list: string): Promise<boolean> {
    const { found, now } = await this.#store.load(endedLists, this.#name(list));
    return found !== undefined && now < found.row.endsAt;
  }

  async add(list: string): Promise<void> {
    const name = this.#name(list);
    await this.#store.change(endedLists, name, (_, now) => {
      return { outcome: undefined, next: { name, endsAt: after(now, REMEMBERED) } };
    });
  }

  async remove(list: string): Promise<void> {
    await this.#store.change(endedLists, this.#name(list), (found, now) =>
      found && now < found.row.endsAt
        ? { outcome: undefined, next: { ...found.row, endsAt: now } }
        : { outcome: undefined },
    );
  }

  #name(list: string): string {
    return `${list} at ${this.#machine}`;
  }
}

/** The longest slice of work, in milliseconds: requests wait for it. */
const SLICE_MS = 1;

/** Ends the grants of every certificate that a list revokes, in slices with a pause between them. Returns how many. */
export async function endAllRevoked(
  marks: Iterable<Hex>,
  ports: Pick<Ports, 'store' | 'clock'>,
  pause: () => Promise<unknown>,
): Promise<number> {
  let ended = 0;
  let began = ports.clock.milliseconds();
  for (const mark of marks) {
    ended += await revokeByCertificate(mark, ports);
    if (ports.clock.milliseconds() - began < SLICE_MS) continue;
    await pause();
    began = ports.clock.milliseconds();
  }
  return ended;
}
