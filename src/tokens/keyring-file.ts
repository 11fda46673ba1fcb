import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KEY_ID_MAX, KEY_LENGTH, KEY_STATES, KeyringFault, type KeyState, type StoredKey } from './keyring.ts';

const VERSION = 1;

/** The text of a keyring, as it stands in its file or in an environment variable. */
function formatKeyring(keys: readonly StoredKey[]): string {
  const entries = keys.map(({ id, state, secret }) => ({ id, state, secret: secret.toString('base64') }));
  return `${JSON.stringify({ version: VERSION, keys: entries }, undefined, 2)}\n`;
}

/** Says what is wrong and where, without showing anything of what it read. */
export function parseKeyring(text: string, source: string): StoredKey[] {
  const content = parseJson(text, source);
  if (!isRecord(content) || content['version'] !== VERSION || !Array.isArray(content['keys'])) {
    throw damaged(source, `it is not a keyring of version ${VERSION}`);
  }
  return content['keys'].map((entry, index) => parseEntry(entry, `key ${index + 1}`, source));
}

function parseEntry(entry: unknown, which: string, source: string): StoredKey {
  if (!isRecord(entry)) throw damaged(source, `${which} is not an object`);
  const { id, state, secret: text } = entry;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > KEY_ID_MAX) {
    throw damaged(source, `${which} has no id from 1 to ${KEY_ID_MAX}`);
  }
  if (!isKeyState(state)) throw damaged(source, `${which} is in none of the states ${KEY_STATES.join(', ')}`);
  const secret = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (secret.length !== KEY_LENGTH || secret.toString('base64') !== text) {
    throw damaged(source, `${which} is not ${KEY_LENGTH} bytes of base64`);
  }
  return { id, state, secret };
}

export function readKeyringFile(path: string): StoredKey[] | undefined {
  let mode: number;
  try {
    mode = statSync(path).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (mode & 0o077) {
    throw new KeyringFault(`others may read the keyring ${path} (mode ${mode.toString(8)}). Do: chmod 600 ${path}`);
  }
  return parseKeyring(readFileSync(path, 'utf8'), path);
}

/** Writes beside the file and renames, so that a crash leaves the old keyring or the new one, whole. */
export function writeKeyringFile(path: string, keys: readonly StoredKey[]): void {
  const beside = `${path}.${process.pid}.new`;
  writeDurably(beside, formatKeyring(keys));
  renameSync(beside, path);
  syncFolder(dirname(path));
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(source, 'it is not JSON'); // the parser's own words may quote the key
  }
}

function damaged(source: string, what: string): KeyringFault {
  return new KeyringFault(
    `the keyring ${source} is damaged: ${what}. Restore it from its backup; no key is made anew.`,
  );
}

function isKeyState(value: unknown): value is KeyState {
  return KEY_STATES.some((state) => state === value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
