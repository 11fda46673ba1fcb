import { after, seconds } from '../../core/time.ts';
import { endedLists } from '../../store/tables/ended-lists.ts';
import type { Ports } from '../ports.ts';

const DAY = 86_400;
/** After this time a list is processed once more at the next start. */
const REMEMBERED = seconds(35 * DAY);

/** The lists that this machine has processed, so that a restart need not repeat it. Per machine: lists from files, and their times, differ. */
export class EndedLists {
  readonly #store: Ports['store'];
  readonly #machine: string;

  constructor({ store }: Pick<Ports, 'store'>, machine: string) {
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
