// Patterns for claims. `*` stops at `:` and `/`, because these separate the segments of claims such as
// `repo:acme/app:ref:refs/heads/main`: a name that an attacker chooses must not reach into the next segment.

/** A longer text fits no pattern: others choose it, and the work grows with it. */
const TEXT_MAX_LENGTH = 1024;

/** Keeps the set of possible positions, one bit each: a character costs little, whatever the pattern. */
export function fitsPattern(text: string, pattern: string): boolean {
  if (text.length > TEXT_MAX_LENGTH || !text.startsWith(fixedBeginning(pattern))) return false;
  const { length, texts, stars, anything } = compile(pattern);
  let possible = withSkippedStars(1n, stars);
  for (const character of text) {
    const moving = possible & (texts.get(character) ?? 0n);
    const staying = possible & (character === ':' || character === '/' ? anything : stars);
    possible = withSkippedStars((moving << 1n) | staying, stars);
    if (possible === 0n) return false;
  }
  return possible >> BigInt(length) === 1n;
}

/** What a text must begin with to fit. */
export function fixedBeginning(pattern: string): string {
  return /^[^*]*/.exec(pattern)?.[0] ?? '';
}

/** Where each character is, where a star is, and where one that also stands for `:` and `/`: bit n is position n. */
function compile(pattern: string) {
  const parts = pattern.match(/\*+|[^*]/gu) ?? [];
  const texts = new Map<string, bigint>();
  let [stars, anything] = [0n, 0n];
  for (const [position, part] of parts.entries()) {
    const bit = 1n << BigInt(position);
    if (!part.startsWith('*')) texts.set(part, (texts.get(part) ?? 0n) | bit);
    else stars |= bit;
    if (part.startsWith('**')) anything |= bit;
  }
  return { length: parts.length, texts, stars, anything };
}

/** A star may also stand for nothing. */
function withSkippedStars(possible: bigint, stars: bigint): bigint {
  return possible | ((possible & stars) << 1n);
}
