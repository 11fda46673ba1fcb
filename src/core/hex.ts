/** A few bytes as hex digits in lower case: hashes and nonces, which are stored, compared and shown, and not reckoned with. */
export type Hex = string & { readonly is: 'hex' };

/** Of a hash of 32 bytes, the 16 that are kept where it only has to tell things apart. */
export function firstHalf(digits: string): Hex {
  return digits.slice(0, digits.length / 2) as Hex;
}
