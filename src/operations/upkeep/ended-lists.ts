import type { Hex } from '../../core/hex.ts';
import { after, endedNow, seconds } from '../../core/time.ts';
import { type StorePort, writeRow } from '../../store/store.ts';
import { endedLists } from '../../store/tables/leases.ts';
import { revokeByCertificate } from '../grant/end-all.ts';
import type { Ports } from '../ports.ts';

const DAY = 86_400;
/** After this time a list is processed once more at the next start. */
const REMEMBERED = seconds(35 * DAY);

/** The lists that this machine has processed, so that a restart need not repeat it. Per machine: lists from files, and their times, differ. */
export function endedListsAt(machine: string, { store }: StorePort) {
  const nameOf = (list: string) => `${list} at ${machine}`;
  return {
    has: async (list: string): Promise<boolean> => {
      const { found, now } = await store.load(endedLists, nameOf(list));
      return found !== undefined && now < found.row.endsAt;
    },
    add: (list: string) => {
      const name = nameOf(list);
      return writeRow(store, endedLists, name, (_, now) => ({ name, endsAt: after(now, REMEMBERED) }));
    },
    remove: (list: string) => writeRow(store, endedLists, nameOf(list), endedNow),
  };
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
