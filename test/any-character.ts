// For texts of any Unicode characters. The unit `binary` of fast-check has the same, and takes two seconds to prepare.
import fc from 'fast-check';

const LAST = 0x10ffff;
const [FIRST_SURROGATE, SURROGATES] = [0xd800, 0x800];

export const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((point) => String.fromCodePoint(point)),
  fc
    .integer({ min: 0, max: LAST - SURROGATES })
    .map((point) => String.fromCodePoint(point < FIRST_SURROGATE ? point : point + SURROGATES)),
);
