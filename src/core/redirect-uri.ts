// Where an authorization code is sent (RFC 6749 3.1.2, RFC 8252 7).

import { HOST, PORT } from './address-pattern.ts';

/** RFC 8252 7.3; agents register `localhost` too. `rest` is the path with the query. */
const LOOPBACK = /^http:\/\/(?<host>127\.0\.0\.1|\[::1\]|localhost)(?::(?<port>[1-9][0-9]{0,4}))?(?<rest>[/?].*)?$/;
/** Without what browsers read in ways of their own, and what would end an attribute or a header's list: \ # * < > " ' ` { } | ^ ; , */
const REST = String.raw`[!$%&()+\-.\/0-9:=?@A-Z[\]_a-z~]*`;
const PATH = `(?:[/?]${REST})?`;
const WITH_PORT = `(?::${PORT})?${PATH}`;
/** RFC 8252 7.1: a scheme of an app is a domain name in reverse. */
const APP = `[a-z][a-z0-9-]*(?:\\.[a-z0-9-]+)+:(?:(?!//)${REST}|//[A-Za-z0-9._~-]*${PATH})`;
const OTHERS_PORT = '(?!:443(?:[/?]|$))';
/** Whether operators may register it: https, http on loopback, or the scheme of an app; written as browsers write it. */
export const REDIRECT_URI = new RegExp(
  `^(?=.{1,512}$)(?:https://(?![^/?]*[A-Z])${HOST}${OTHERS_PORT}${WITH_PORT}|http://(?:127\\.0\\.0\\.1|\\[::1\\]|localhost)${WITH_PORT}|${APP})$`,
);

export function isRedirectUri(text: string): boolean {
  return REDIRECT_URI.test(text);
}

/** Schemes that browsers or systems act on by themselves. */
const TAKEN_SCHEMES = [
  ...['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'filesystem', 'view-source', 'resource', 'jar'],
  ...['https?', 'wss?', 'ftp', 'smb', 'ssh', 'telnet', 'chrome', 'chrome-extension'],
  ...['intent', 'android-app', 'itms-services', 'search-ms', 'ms-[a-z0-9+.-]+'],
];
const TAKEN = `(?!(?:${TAKEN_SCHEMES.join('|')}):)`;
const PRIVATE_USE = new RegExp(`^(?=.{1,512}$)${TAKEN}[a-z][a-z0-9+.-]{2,}://[A-Za-z0-9._~-]+${PATH}$`);

/** RFC 8252 7.1: the scheme of a program, which any other program can claim too. Desktop programs leave out the dot that it wants. */
export function isPrivateUse(text: string): boolean {
  return PRIVATE_USE.test(text);
}

export function isLoopback(uri: string): boolean {
  const { port = '80' } = LOOPBACK.exec(uri)?.groups ?? { port: '0' };
  return Number(port) > 0 && Number(port) < 65_536;
}

/** RFC 6749 3.1.2.3: one of the registered ones, to the letter; on loopback with any port. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return isRedirectUri(uri) || isPrivateUse(uri);
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
