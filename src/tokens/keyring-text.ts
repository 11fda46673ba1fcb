// The text of a keyring, as it is in its file or in an environment variable.
//
// Version 1 has MAC keys alone. With signing keys the version is 2, so that a release which knows nothing of them refuses
// the keyring instead of dropping them when it writes.
import { type JsonObject, objectOf, parseObject } from '../core/json.ts';
import { SIGNING_ALGORITHMS } from '../core/signing-key.ts';
import {
  KEY_ID_MAX,
  KEY_LENGTH,
  KEY_STATES,
  KeyringFault,
  type RetiredKey,
  type StoredKey,
  type StoredMacKey,
} from './keyring.ts';
import type { StoredSigningKey } from './signing-key.ts';

const MAC_KEYS_ONLY = 1;
const WITH_SIGNING_KEYS = 2;

export function formatKeyring(stored: readonly StoredKey[]): string {
  const keys = stored
    .filter((key) => key.kind === 'mac')
    .map(({ id, state, secret }) => ({ id, state, secret: secret.toString('base64') }));
  const signingKeys = stored
    .filter((key) => key.kind === 'signing')
    .map(({ id, algorithm, privateKey }) => ({ id, algorithm, privateKey: privateKey.toString('base64') }));
  const retired = stored.filter((key) => key.kind === 'retired').map(({ id }) => id);
  const content = {
    ...(signingKeys.length === 0
      ? { version: MAC_KEYS_ONLY, keys }
      : { version: WITH_SIGNING_KEYS, keys, signingKeys }),
    ...(retired.length > 0 && { retired }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** A fault says what is wrong and where, and shows nothing of what was read. */
export function parseKeyring(text: string, source: string): StoredKey[] {
  const content = parseObject(text) ?? {};
  const { version } = content;
  if (version !== MAC_KEYS_ONLY && version !== WITH_SIGNING_KEYS) {
    throw damaged(source, `it is not JSON, or not a keyring of version ${MAC_KEYS_ONLY} or ${WITH_SIGNING_KEYS}`);
  }
  const macKeys = entriesOf(content, 'keys', source).map((entry, index) =>
    parseMacEntry(entry, `key ${index + 1}`, source),
  );
  const signing = version === MAC_KEYS_ONLY ? [] : entriesOf(content, 'signingKeys', source);
  const signingKeys = signing.map((entry, index) => parseSigningEntry(entry, `signing key ${index + 1}`, source));
  return [...macKeys, ...signingKeys, ...parseRetired(content, source)];
}

/** Releases before 0.3 wrote none. */
function parseRetired(content: JsonObject, source: string): RetiredKey[] {
  if (content['retired'] === undefined) return [];
  return entriesOf(content, 'retired', source).map((id, index) => {
    if (typeof id !== 'number' && typeof id !== 'string') throw damaged(source, `retired key ${index + 1} has no id`);
    return { kind: 'retired', id };
  });
}

function entriesOf(content: JsonObject, member: string, source: string): readonly unknown[] {
  const entries = content[member];
  if (!Array.isArray(entries)) throw damaged(source, `it has no list named ${member}`);
  return entries;
}

function parseMacEntry(entry: unknown, which: string, source: string): StoredMacKey {
  const { id, state: text, secret: base64 } = objectOf(entry) ?? {};
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > KEY_ID_MAX) {
    throw damaged(source, `${which} has no id from 1 to ${KEY_ID_MAX}`);
  }
  const state = oneOf(KEY_STATES, text);
  if (!state) throw damaged(source, `${which} is in none of the states ${KEY_STATES.join(', ')}`);
  const secret = readBase64(base64);
  if (secret?.length !== KEY_LENGTH) throw damaged(source, `${which} is not ${KEY_LENGTH} bytes of base64`);
  return { kind: 'mac', id, state, secret };
}

/** What may stand in a JWT's `kid`. */
const SIGNING_KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;

function parseSigningEntry(entry: unknown, which: string, source: string): StoredSigningKey {
  const { id, algorithm: name, privateKey: base64 } = objectOf(entry) ?? {};
  if (typeof id !== 'string' || !SIGNING_KEY_ID.test(id)) {
    throw damaged(source, `${which} has no id of 1 to 64 letters, digits, "-" or "_"`);
  }
  const algorithm = oneOf(SIGNING_ALGORITHMS, name);
  if (!algorithm) throw damaged(source, `${which} has none of the algorithms ${SIGNING_ALGORITHMS.join(', ')}`);
  const privateKey = readBase64(base64);
  if (!privateKey) throw damaged(source, `the private key of ${which} is not base64`);
  return { kind: 'signing', id, algorithm, privateKey };
}

/** Undefined for anything but canonical base64 of at least one byte. */
function readBase64(text: unknown): Buffer | undefined {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
}

function damaged(source: string, what: string): KeyringFault {
  return new KeyringFault(
    `the keyring ${source} is damaged: ${what}. Restore it from its backup; no key is made anew.`,
  );
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown): Name | undefined {
  return names.find((name) => name === value);
}
