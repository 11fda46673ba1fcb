// The cookie of a browser that somebody has signed in with. It only affects limits on attempts; it signs nobody in.
//
//   key id 1 | name mark 16 | password mark 16 | id 16 | signed in at 4 | tag 16
//
// Several people may share a browser, so the cookie holds several entries, the newest first.
import type { Hex } from '../core/hex.ts';
import type { KnownBrowser } from '../core/rules/sign-in.ts';
import { epochSeconds } from '../core/time.ts';
import type { Keyring } from './keyring.ts';
import { Secret } from './secret.ts';

const LENGTH = 69;
const NAME_AT = 1;
const PASSWORD_AT = 17;
const ID_AT = 33;
const TIME_AT = 49;
const TAG_AT = 53;
const SEPARATOR = '.';
const MOST_PEOPLE = 4;
export const BROWSER_ID_LENGTH = 16;

/** Adds a person to the cookie. Replaces an earlier entry of the same name. */
export function addKnownBrowser(cookie: string, browser: KnownBrowser, keyring: Keyring): Secret {
  const others = entriesOf(cookie).filter((text) => {
    const known = open(text, keyring);
    return known && known.nameMark !== browser.nameMark;
  });
  return new Secret([mint(browser, keyring), ...others].slice(0, MOST_PEOPLE).join(SEPARATOR));
}

export function readKnownBrowsers(cookie: string, keyring: Keyring): readonly KnownBrowser[] {
  return entriesOf(cookie).flatMap((text) => open(text, keyring) ?? []);
}

function entriesOf(cookie: string): readonly string[] {
  return cookie.split(SEPARATOR, MOST_PEOPLE);
}

function mint({ id, nameMark, passwordMark, signedInAt }: KnownBrowser, { minting }: Keyring): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes[0] = minting.id;
  bytes.write(nameMark, NAME_AT, 'hex');
  bytes.write(passwordMark, PASSWORD_AT, 'hex');
  bytes.write(id, ID_AT, 'hex');
  bytes.writeUInt32BE(signedInAt, TIME_AT);
  minting.mac['known-browser'].sign(bytes, TAG_AT, LENGTH - TAG_AT);
  return bytes.toString('base64url');
}

function open(text: string, keyring: Keyring): KnownBrowser | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== text) return undefined;
  if (!keyring.key(bytes[0] as number)?.mac['known-browser'].isSigned(bytes, TAG_AT)) return undefined;
  return {
    nameMark: bytes.toString('hex', NAME_AT, PASSWORD_AT) as Hex,
    passwordMark: bytes.toString('hex', PASSWORD_AT, ID_AT) as Hex,
    id: bytes.toString('hex', ID_AT, TIME_AT) as Hex,
    signedInAt: epochSeconds(bytes.readUInt32BE(TIME_AT)),
  };
}
