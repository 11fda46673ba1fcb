// Patterns for claims. `*` stops at `:` and `/`, because these separate the segments of claims such as
// `repo:acme/app:ref:refs/heads/main`: a name that an attacker chooses must not reach into the next segment.

/** A longer text fits no pattern: others choose it, and the work grows with it. */
const TEXT_MAX_LENGTH = 1024;

/**
 * Whether the whole text fits the pattern. Keeps the set of positions in the pattern that are possible so far, one bit each, and ends
 * when there is none. So each character costs a few operations per 32 positions, whatever text and pattern contain.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  if (text.length > TEXT_MAX_LENGTH || !text.startsWith(fixedBeginning(pattern))) return false;
  const { length, texts, none, stars, anything } = compile(pattern);
  const possible = none.slice();
  setBit(possible, 0);
  advance(possible, none, possible, stars);
  for (const character of text) {
    const moves = texts.get(character) ?? none;
    const stays = character === ':' || character === '/' ? anything : stars;
    if (!advance(possible, moves, stays, stars)) return false;
  }
  return hasBit(possible, length);
}

/** What a text must begin with to fit. */
export function fixedBeginning(pattern: string): string {
  return /^[^*]*/.exec(pattern)?.[0] ?? '';
}

/** A set of positions: bit n is position n. */
type Positions = Int32Array<ArrayBuffer>;

/** Where each character is, where a star is, and where one that also stands for `:` and `/`. */
function compile(pattern: string) {
  const parts = pattern.match(/\*+|[^*]/gu) ?? [];
  const make = () => new Int32Array(Math.ceil((parts.length + 1) / 32));
  const [none, stars, anything] = [make(), make(), make()];
  const texts = new Map<string, Positions>();
  for (const [position, part] of parts.entries()) {
    if (part.startsWith('*')) {
      setBit(stars, position);
      if (part !== '*') setBit(anything, position);
    } else {
      const positions = texts.get(part) ?? make();
      setBit(positions, position);
      texts.set(part, positions);
    }
  }
  return { length: parts.length, texts, none, stars, anything };
}

/**
 * The positions after one more character: the next one where it `moves`, the same where it `stays`; and behind every star, since a
 * star may also stand for nothing. Returns whether there is any.
 */
function advance(possible: Positions, moves: Positions, stays: Positions, stars: Positions): boolean {
  let moved = 0;
  let skipped = 0;
  let any = 0;
  for (let word = 0; word < possible.length; word++) {
    const before = possible[word] ?? 0;
    const moving = before & (moves[word] ?? 0);
    const now = (moving << 1) | moved | (before & (stays[word] ?? 0));
    const skipping = now & (stars[word] ?? 0);
    const next = now | (skipping << 1) | skipped;
    moved = moving >>> 31;
    skipped = skipping >>> 31;
    possible[word] = next;
    any |= next;
  }
  return any !== 0;
}

function setBit(positions: Positions, position: number): void {
  positions[position >>> 5] = (positions[position >>> 5] ?? 0) | (1 << (position & 31));
}

function hasBit(positions: Positions, position: number): boolean {
  return (((positions[position >>> 5] ?? 0) >>> (position & 31)) & 1) === 1;
}
