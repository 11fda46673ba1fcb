// Checks of passwords wait here for their turn. Each takes a thread for 20 to 40 ms and 19 MiB. Node has four such threads, and the store
// syncs its commits on them: with all of them busy, refreshes took 0.7 s.
import { availableParallelism } from 'node:os';
import { Overloaded } from '../../core/overloaded.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { isPassword } from './password-hash.ts';

const AT_ONCE = availableParallelism() > 2 ? 2 : 1;
/** More would keep people waiting for more than a second. People whose browsers are known do not wait for others. */
const MOST_WAITING = 32;

export class PasswordQueue {
  readonly #check: typeof isPassword;
  readonly #known: (() => void)[] = [];
  readonly #unknown: (() => void)[] = [];
  #running = 0;

  constructor(check: typeof isPassword) {
    this.#check = check;
  }

  isFullFor(isKnown: boolean): boolean {
    return (isKnown ? this.#known : this.#unknown).length >= MOST_WAITING;
  }

  async check(password: Secret, phc: string, isKnown: boolean): Promise<boolean> {
    if (this.isFullFor(isKnown)) throw new Overloaded('too many sign-ins at once');
    const line = isKnown ? this.#known : this.#unknown;
    if (this.#running >= AT_ONCE) await new Promise<void>((go) => line.push(go));
    else this.#running += 1;
    try {
      return await this.#check(password, phc);
    } finally {
      const next = this.#known.shift() ?? this.#unknown.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
