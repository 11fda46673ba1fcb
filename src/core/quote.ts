/** Text that needs no escaping in JSON: nearly all of it. */
const PLAIN = /^[ !#-[\]-~]*$/;

export function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const MAX_PRINTED_OCTETS = 256;
// Fast path: nearly every name.
const NOTHING_TO_ESCAPE = /^[A-Za-z0-9 @.:/()'*_-]*$/;

/** Escapes text so that a hostile name stays on its line and inside its field in reports and logs. */
export function escapeText(text: string): string {
  const shown = text.length > MAX_PRINTED_OCTETS ? `${text.slice(0, MAX_PRINTED_OCTETS)}…` : text;
  if (NOTHING_TO_ESCAPE.test(shown)) return shown;
  return escapeControls(shown.replace(/[\\,+="<>;]/g, '\\$&'));
}

/** So that the text stays on its line. */
export function escapeControls(text: string): string {
  const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return text.replace(/[^\P{C}]|[\u2028\u2029]/gu, escaped);
}
