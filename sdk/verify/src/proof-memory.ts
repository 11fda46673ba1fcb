// The DPoP proofs that a process has accepted, so that none is accepted twice. The same file is in src/operations/grant and sdk/verify/src.
import { createHash } from 'node:crypto';

/** How many are remembered at a time, in 50 MB at most. */
const MOST = 2 ** 18;
/** A key is refused once it has this many times what is free: nobody while a fifth is free, and then who has most. */
const TIMES_FREE = 4;
/** Proofs whose validity ends in the same ten seconds are forgotten together, ten later: clocks are set back a little. */
const SLICE_SECONDS = 10;

interface Slice {
  readonly proofs: Set<string>;
  readonly perKey: Map<string, number>;
}

export interface MadeProof {
  /** RFC 7638 thumbprint of the key that has signed it. */
  readonly key: string;
  /** Its `jti`. */
  readonly id: string;
  /** The last second in which it is valid. */
  readonly until: number;
}

export interface Load {
  readonly used: number;
  readonly most: number;
}

/** `forget`: the proof led to nothing, and may be sent again. */
type Remembered = 'repeated' | 'over-share' | { readonly forget: () => void };

export class ProofMemory {
  readonly #most: number;
  /** By the end of validity. */
  readonly #slices = new Map<number, Slice>();

  constructor(most = MOST) {
    this.#most = most;
  }

  load(now: number): Load {
    for (const end of this.#slices.keys()) if (end + 1 < sliceOf(now)) this.#slices.delete(end);
    return { used: this.#sum(({ proofs }) => proofs.size), most: this.#most };
  }

  remember({ key, id, until }: MadeProof, now: number): Remembered {
    const { used, most } = this.load(now);
    const proof = createHash('sha256').update(`${key} ${id}`).digest().toString('latin1', 0, 16);
    for (const { proofs } of this.#slices.values()) if (proofs.has(proof)) return 'repeated';
    const held = this.#sum(({ perKey }) => perKey.get(key) ?? 0);
    if (held >= TIMES_FREE * (most - used)) return 'over-share';
    const { proofs, perKey } = this.#slice(sliceOf(until));
    proofs.add(proof);
    perKey.set(key, (perKey.get(key) ?? 0) + 1);
    const forget = () => {
      const left = (perKey.get(key) ?? 0) - 1;
      if (!proofs.delete(proof)) return;
      if (left > 0) perKey.set(key, left);
      else perKey.delete(key); // callers without a grant leave nothing
    };
    return { forget };
  }

  #sum(of: (slice: Slice) => number): number {
    let sum = 0;
    for (const slice of this.#slices.values()) sum += of(slice);
    return sum;
  }

  #slice(end: number): Slice {
    const slice = this.#slices.get(end) ?? { proofs: new Set(), perKey: new Map() };
    this.#slices.set(end, slice);
    return slice;
  }
}

function sliceOf(moment: number): number {
  return Math.floor(moment / SLICE_SECONDS);
}
