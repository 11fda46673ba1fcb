// Patterns for claims. `*` stops at `:` and `/`, because these separate the segments of claims such as
// `repo:acme/app:ref:refs/heads/main`: a name that a stranger chooses must not reach into the next segment.

type Part = { readonly is: 'text'; readonly character: string } | { readonly is: 'segment' | 'anything' };

/** A longer text fits no pattern: others choose it, and the work grows with it. */
const TEXT_MAX_LENGTH = 1024;

/**
 * Whether the whole text fits the pattern. Keeps which positions in the pattern are possible so far, so the work is at most
 * the product of both lengths, whatever they contain.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  if (text.length > TEXT_MAX_LENGTH) return false;
  const parts = partsOf(pattern);
  let possible = skipStars([true, ...Array<boolean>(parts.length).fill(false)], parts);
  for (const character of text) possible = skipStars(advance(possible, parts, character), parts);
  return possible[parts.length] ?? false;
}

function partsOf(pattern: string): Part[] {
  return [...pattern.matchAll(/\*+|[^*]/gu)].map(([text]) => {
    if (!text.startsWith('*')) return { is: 'text', character: text };
    return { is: text === '*' ? 'segment' : 'anything' };
  });
}

/** The positions after one more character. */
function advance(possible: readonly boolean[], parts: readonly Part[], character: string): boolean[] {
  const next = Array<boolean>(possible.length).fill(false);
  for (const [position, part] of parts.entries()) {
    if (!possible[position]) continue;
    if (part.is === 'text') next[position + 1] ||= part.character === character;
    else next[position] ||= part.is === 'anything' || (character !== ':' && character !== '/');
  }
  return next;
}

/** A star may also stand for nothing. */
function skipStars(possible: boolean[], parts: readonly Part[]): boolean[] {
  for (const [position, part] of parts.entries())
    if (part.is !== 'text' && possible[position]) possible[position + 1] = true;
  return possible;
}
