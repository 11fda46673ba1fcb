// The text of an assertion: a JWT in compact form (RFC 7515 7.1), parsed and not checked yet.
import type { Claims } from '../core/claims.ts';
import { objectOf } from '../core/json.ts';
import { accept, type Outcome, refused } from '../core/outcome.ts';

export interface ReadAssertion {
  /** Without white space around it. */
  readonly text: string;
  readonly header: Claims;
  readonly claims: Claims;
  readonly signingInput: string;
}

/** Enough for 32 KB of claims. Unauthenticated callers choose the text, so it must not cost more to parse. */
const MOST_CHARACTERS = 49_152;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The assertion, or why the text is not one. A file that a shell wrote ends with a newline, or begins with a byte order mark. */
export function readAssertion(sent: string): Outcome<ReadAssertion, string> {
  const text = sent.trim();
  if (text.length > MOST_CHARACTERS) return refused(`it has more than ${MOST_CHARACTERS} characters`);
  const parts = COMPACT.exec(text);
  if (!parts) return refused('it does not consist of three parts in base64url with dots between them');
  const [, first = '', second = ''] = parts;
  const [header, claims] = [readPart(first), readPart(second)];
  if (!header) return refused('its header is not a JSON object');
  if (!claims) return refused('its claims are not a JSON object');
  return accept({ text, header, claims, signingInput: `${first}.${second}` });
}

function readPart(base64url: string): Claims | undefined {
  try {
    return objectOf(JSON.parse(UTF8.decode(Buffer.from(base64url, 'base64url'))));
  } catch {
    return undefined;
  }
}
