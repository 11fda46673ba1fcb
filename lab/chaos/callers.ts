// Callers on several nodes that refresh and revoke, retry after 503, and record what was acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../src/core/outcome.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { issue, type Node, refresh, revoke, textOf } from '../../test/node.ts';
import type { Promised } from './writer.ts';

const REFRESHING = 18;
const REVOKING = 6;
const CALM_MS = 20;
const AGAIN_MS = 100;
const RECOVERED_WITHIN_MS = 120_000;

export class Callers {
  readonly #nodes: readonly Node[];
  readonly #promised: Promised[] = [];
  readonly #violations: string[] = [];
  readonly #ended: Promise<unknown>;
  #unavailable = 0;
  #lastAcknowledgedAt = 0;
  #running = true;
  #pauseMs = 0;

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
    this.#ended = Promise.all([
      ...Array.from({ length: REFRESHING }, (_, n) => this.#refreshOn(n)),
      ...Array.from({ length: REVOKING }, (_, n) => this.#revokeOn(n)),
    ]);
  }

  /** Time of the first acknowledgement after that moment. */
  async acknowledgedAfter(moment: number): Promise<number> {
    while (this.#lastAcknowledgedAt <= moment) {
      if (performance.now() > moment + RECOVERED_WITHIN_MS) throw new Error('nothing is acknowledged any more');
      await pause(2);
    }
    return this.#lastAcknowledgedAt;
  }

  /** Slows the callers down: what counts is what was acknowledged when the primary died. */
  calmDown(): void {
    this.#pauseMs = CALM_MS;
  }

  async stop() {
    this.#running = false;
    await this.#ended;
    return { promised: this.#promised, unavailable: this.#unavailable, violations: this.#violations };
  }

  /** Presents each token on two nodes in parallel: both must return the same pair. */
  async #refreshOn(caller: number): Promise<void> {
    let pair = await this.#insist(() => issue(this.#node(caller)));
    if (pair) this.#promisePair(pair);
    while (this.#running && pair) {
      const spent: TokenPair = pair;
      const both = await Promise.all([0, 1].map((n) => this.#accepted(() => refresh(this.#node(caller + n), spent))));
      const given = both.filter((each) => each !== undefined);
      if (new Set(given.map(textOf)).size > 1) this.#violations.push(`${spent.grantId}: a token honoured twice`);
      pair = given[0];
      if (pair) this.#promisePair(pair);
      if (this.#pauseMs > 0) await pause(this.#pauseMs);
    }
  }

  async #revokeOn(caller: number): Promise<void> {
    while (this.#running) {
      const pair = await this.#insist(() => issue(this.#node(caller)));
      if (!pair) return;
      this.#promisePair(pair);
      const outcome = await this.#insist(() => revoke(this.#node(caller + 1), pair));
      if (outcome) this.#promise({ is: 'revoked', grantId: pair.grantId });
      if (this.#pauseMs > 0) await pause(this.#pauseMs);
    }
  }

  async #accepted(call: () => Promise<Outcome<TokenPair>>): Promise<TokenPair | undefined> {
    const outcome = await this.#insist(call);
    if (outcome && !outcome.ok) this.#violations.push(`a refresh was refused: ${outcome.refusal.reason}`);
    return outcome?.ok ? outcome.value : undefined;
  }

  /** Retries after StoreUnavailable; any other fault is a violation. */
  async #insist<T>(call: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await call();
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable)) {
          this.#violations.push(`a fault: ${String(fault)}`);
          return undefined;
        }
        this.#unavailable++;
        await pause(AGAIN_MS);
      }
    }
  }

  #promisePair({ grantId, accessToken, refreshToken }: TokenPair): void {
    this.#promise({ is: 'pair', grantId, access: accessToken.reveal(), refresh: refreshToken?.reveal() ?? '' });
  }

  #promise(promised: Promised): void {
    this.#promised.push(promised);
    this.#lastAcknowledgedAt = performance.now();
  }

  #node(n: number): Node {
    return this.#nodes[n % this.#nodes.length] as Node;
  }
}
