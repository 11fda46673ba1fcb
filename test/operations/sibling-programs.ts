// Programs that share a login, each with the token that it last saw; some answers are lost.
import assert from 'node:assert/strict';
import { presenter } from '../../src/core/presenter.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import { refresh } from '../node.ts';
import type { Seeded } from '../seeded.ts';

/** A 503: the program tries again later, with the token that it has. */
function unanswered(fault: unknown): undefined {
  if (!(fault instanceof StoreUnavailable)) throw fault;
}

export class Programs {
  readonly #held: TokenPair[];
  readonly #chance: Seeded;
  readonly #nodes: readonly CallerPorts[];
  /** What each generation was answered with, and when the one before it was superseded at the latest. */
  readonly pairs = new Map<number, string>();
  readonly made = new Map<number, number>();

  constructor(count: number, first: TokenPair, nodes: readonly CallerPorts[], chance: Seeded) {
    this.#held = Array.from({ length: count }, () => first);
    this.#nodes = nodes;
    this.#chance = chance;
    this.#note(first);
  }

  /** For how long the token of this program has been spent: 0 if it is the newest. */
  spentFor(program: number, now: number): number {
    const since = this.made.get(this.#generationOf(this.#held[program]) + 1);
    return since === undefined ? 0 : now - since;
  }

  /** Returns the reason of a refusal, if it is refused. */
  async refresh(program: number): Promise<string | undefined> {
    const held = this.#held[program];
    assert.ok(held);
    const node = this.#chance.pick(this.#nodes);
    const answer = await refresh(node, held, { by: presenter('192.0.2.7', 'agent') }).catch(unanswered);
    if (!answer) return undefined;
    if (!answer.ok) return answer.refusal.reason;
    this.#note(answer.value);
    const isNewer = this.#generationOf(answer.value) > this.#generationOf(this.#held[program]);
    if (isNewer && !this.#chance.chance(0.3)) this.#held[program] = answer.value;
    return undefined;
  }

  #note(pair: TokenPair): void {
    const generation = this.#generationOf(pair);
    const text = `${pair.refreshToken?.reveal()} ${pair.accessToken.reveal()}`;
    assert.equal(this.pairs.get(generation) ?? text, text, `a second pair of generation ${generation}`);
    this.pairs.set(generation, text);
    if (!this.made.has(generation)) this.made.set(generation, this.#nodes[0]?.clock.now() ?? 0);
  }

  #generationOf(pair: TokenPair | undefined): number {
    const token = parseRefreshToken(pair?.refreshToken?.reveal() ?? '', this.#nodes[0]?.keyring as never);
    assert.ok(token);
    return token.generation;
  }
}
