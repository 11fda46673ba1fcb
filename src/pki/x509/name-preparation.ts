// RFC 4518: prepares strings so that two spellings of one name compare equal (RFC 5280 7.1). Used for names only;
// identities are compared character by character in core/certificate.ts.

// RFC 4518 2.2: mapped to nothing. Default-ignorable covers soft hyphens, joiners, fillers, variation selectors and
// tags.
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}\ufffc]|[^\P{Cc}\t-\r\u0085]/gu;
// RFC 4518 2.2: mapped to SPACE; 2.6.1: runs of spaces collapse to one, leading and trailing spaces are removed.
const SPACES = /[\t-\r\u0085\p{Z}]+/gu;
// Fast path for most names: ASCII without spaces to collapse needs case folding only.
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
// UAX #15, Stream-Safe Text Format: no language has 30 combining marks in a row, and sorting longer runs takes
// quadratic time.
const UNSAFE_RUN = /\p{M}{31}/u;

/** Whether preparing the text is cheap. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The prepared string; undefined if preparing it would take more than linear time. */
export function prepareText(text: string): string | undefined {
  if (isPlain(text)) return text.toUpperCase();
  const mapped = text.replace(IGNORED, '');
  if (UNSAFE_RUN.test(mapped)) return undefined;
  const folded = foldCase(mapped.normalize('NFKC')).normalize('NFKC');
  return withoutExtraSpaces(folded.replace(IGNORED, '').replace(SPACES, ' '));
}

/**
 * RFC 3454 B.2, full case folding: ß becomes ss, ſ becomes s, ς becomes σ. Only ı has a capital that it does not fold
 * to.
 */
function foldCase(text: string): string {
  return text.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase());
}

function withoutExtraSpaces(text: string): string {
  return text.replace(/ {2,}/g, ' ').replace(/^ | $/g, '');
}
