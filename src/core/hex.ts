/** Bytes as lower-case hex: hashes and nonces, which are stored, compared and displayed, never computed with. */
export type Hex = string & { readonly is: 'hex' };

/** The first 16 of 32 hash bytes: enough to identify something. */
export function firstHalf(digits: string): Hex {
  return digits.slice(0, digits.length / 2) as Hex;
}
