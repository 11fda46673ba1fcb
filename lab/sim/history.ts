// Requests and answers of callers, with start and end of each: the input of the model.
import type { Outcome } from '../../src/core/outcome.ts';
import { StoreUnavailable } from '../../src/store/store.ts';

export interface Moment {
  /** Increases with every start and end. */
  readonly tick: number;
  readonly clock: number;
}

/** A token pair as its holder sees it. */
export interface HeldPair {
  readonly grantId: string;
  readonly access: string;
  readonly refresh: string;
  readonly expiresAt: number;
  readonly refreshUntil: number;
}

type DeedKind = 'redeem' | 'refresh' | 'check' | 'revoke' | 'enable' | 'disable';

export interface Deed {
  readonly kind: DeedKind;
  /** The refresh token, access token or device code that was presented. */
  readonly presented: string;
  readonly grantId: string | undefined;
  readonly begin: Moment;
  readonly end: Moment;
  /** `accepted`, the reason of the refusal, or `fault`. */
  readonly answer: string;
  readonly pair?: HeldPair;
}

export class History {
  readonly deeds: Deed[] = [];
  readonly #clock: () => number;
  #tick = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Runs and records an action. StoreUnavailable is expected; any other fault is not. */
  async record(
    deed: Pick<Deed, 'kind' | 'presented' | 'grantId'>,
    act: () => Promise<Outcome<HeldPair | undefined>>,
  ): Promise<Deed> {
    const begin = this.#moment();
    let told: Pick<Deed, 'answer' | 'pair'>;
    try {
      const outcome = await act();
      if (!outcome.ok) told = { answer: outcome.refusal.reason };
      else told = { answer: 'accepted', ...(outcome.value && { pair: outcome.value }) };
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault;
      told = { answer: 'fault' };
    }
    const done: Deed = { ...deed, begin, end: this.#moment(), ...told };
    this.deeds.push(done);
    return done;
  }

  #moment(): Moment {
    return { tick: ++this.#tick, clock: this.#clock() };
  }
}

export const isBefore = (earlier: Deed, later: Deed): boolean => earlier.end.tick < later.begin.tick;
/** Whether it may have affected the answer of `other`. */
export const beganBeforeEndOf = (deed: Deed, other: Deed): boolean => deed.begin.tick < other.end.tick;
