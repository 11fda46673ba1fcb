import { after, seconds } from '../../core/time.ts';
import { attempts } from '../../store/tables/sign-in.ts';
import type { Ports } from '../ports.ts';

const DAY = 86_400;
/** After this a list is gone through once more at the next start. */
const REMEMBERED = seconds(35 * DAY);

/**
 * Which revocation lists this machine has gone through to the end, so that a restart need not do it again. By machine:
 * lists from files differ between machines, and so does the moment from which they are in force.
 */
export class EndedLists {
  readonly #store: Ports['store'];
  readonly #machine: string;

  constructor({ store }: Pick<Ports, 'store'>, machine: string) {
    this.#store = store;
    this.#machine = machine;
  }

  async has(list: string): Promise<boolean> {
    const { found, now } = await this.#store.load(attempts, this.#about(list));
    return found !== undefined && now < found.row.endsAt;
  }

  async add(list: string): Promise<void> {
    const about = this.#about(list);
    await this.#store.change(attempts, about, (_, now) => {
      return { outcome: undefined, next: { about, count: 1, endsAt: after(now, REMEMBERED) } };
    });
  }

  async remove(list: string): Promise<void> {
    await this.#store.change(attempts, this.#about(list), (found, now) =>
      found && now < found.row.endsAt
        ? { outcome: undefined, next: { ...found.row, endsAt: now } }
        : { outcome: undefined },
    );
  }

  #about(list: string): string {
    return `ended: list ${list} at ${this.#machine}`;
  }
}
