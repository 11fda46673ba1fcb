// Where an authorization code is sent (RFC 6749 3.1.2, RFC 8252 7).

const LONGEST = 512;
const VISIBLE_ASCII = /^[\u0021-\u007e]+$/;
/** Characters that browsers read in ways of their own, and the ones that would end an attribute or a header's list. */
const TRICKY = /[\\#*<>"'`{}|^;,]/;
/** RFC 8252 7.3; agents register `localhost` too. `rest` is the path with the query. */
const LOOPBACK = /^http:\/\/(?<host>127\.0\.0\.1|\[::1\]|localhost)(?::(?<port>[1-9][0-9]{0,4}))?(?<rest>[/?].*)?$/;
/** RFC 8252 7.1: a scheme of an app is a domain name in reverse. */
const APP_SCHEME = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/** Whether operators may register it: https, http on loopback, or the scheme of an app; written as browsers write it. */
export function isRedirectUri(text: string): boolean {
  if (text.length > LONGEST || !VISIBLE_ASCII.test(text) || TRICKY.test(text) || !URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  if (username || password) return false;
  if (protocol === 'http:') return isLoopback(text);
  if (protocol !== 'https:') return APP_SCHEME.test(protocol) && text.startsWith(protocol);
  return text === `https://${host}` || text.startsWith(`https://${host}/`) || text.startsWith(`https://${host}?`);
}

export function isLoopback(uri: string): boolean {
  const { port = '80' } = LOOPBACK.exec(uri)?.groups ?? { port: '0' };
  return Number(port) > 0 && Number(port) < 65_536;
}

/** RFC 6749 3.1.2.3: one of the registered ones, to the letter; on loopback with any port. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return isRedirectUri(uri);
  if (!isRedirectUri(uri) || !isLoopback(uri)) return false;
  return registered.some((known) => isLoopback(known) && withoutPort(known) === withoutPort(uri));
}

function withoutPort(uri: string): string {
  const { host, rest = '' } = LOOPBACK.exec(uri)?.groups ?? {};
  return `${host} ${rest}`;
}

/** RFC 6749 4.1.2: the response is added to the query; what the client registered stays as it is. */
export function withResponse(uri: string, response: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(response).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
