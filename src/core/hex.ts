/** A few bytes as hex digits in lower case: hashes and nonces, which are stored, compared and shown, and not reckoned with. */
export type Hex = string & { readonly is: 'hex' };
