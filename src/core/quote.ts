/** Text that needs no escaping in JSON: nearly all of it. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The text as a JSON string. */
export function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
