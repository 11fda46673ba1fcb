// RFC 4518: prepares strings of names so that two spellings of one name compare equal (RFC 5280 7.1). Names are compared
// this way; identities are not: core/certificate.ts compares those character by character.

// RFC 4518 2.2: mapped to nothing. Default-ignorable covers soft hyphen, joiners, fillers, variation selectors and tags.
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}\ufffc]|[^\P{Cc}\t-\r\u0085]/gu;
// RFC 4518 2.2: mapped to SPACE; 2.6.1: runs of spaces count as one, those at the ends as none.
const SPACES = /[\t-\r\u0085\p{Z}]+/gu;
// ASCII without spaces that do not count: most names, and nothing to do but fold their case.
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
// UAX #15, Stream-Safe Text Format: no language has 30 combining marks in a row, and sorting longer runs takes quadratic time.
const UNSAFE_RUN = /\p{M}{31}/u;

/** The prepared string, or nothing where preparing it would cost more than linear time. */
export function prepareText(text: string): string | undefined {
  if (PLAIN.test(text)) return text.toUpperCase();
  const mapped = text.replace(IGNORED, '');
  if (UNSAFE_RUN.test(mapped)) return undefined;
  const folded = foldCase(mapped.normalize('NFKC')).normalize('NFKC');
  return withoutExtraSpaces(folded.replace(IGNORED, '').replace(SPACES, ' '));
}

/** RFC 3454 B.2, full case folding: ß is ss, ſ is s, ς is σ. Of all letters, only ı shares its capital but does not fold to it. */
function foldCase(text: string): string {
  return text.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase());
}

function withoutExtraSpaces(text: string): string {
  return text.replace(/ {2,}/g, ' ').replace(/^ | $/g, '');
}
