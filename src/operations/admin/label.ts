/** `local` is the label of the built-in directory: an issuer with that label could derive its identities. */
const LABEL = /^(?!local$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$/i;

/** The label of an approved issuer or a token issuer. No two of them have the same. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
