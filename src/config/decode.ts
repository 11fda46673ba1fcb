// Decodes the text of a setting into its value, by kind.
import { isAbsolute, resolve } from 'node:path';
import { parseDuration } from '../core/duration.ts';
import type { KeyringSource, Kind } from './setting.ts';
import { parseStoreAddress } from './store-address.ts';

export interface Folders {
  /** The folder of the configuration file; the working folder where there is none. */
  readonly base: string;
  readonly data: string;
}

/** Undefined if the value is not of this kind. */
type Decode = (value: unknown, folders: Folders) => unknown;

export const DECODERS: Readonly<Record<Kind, Decode>> = {
  duration: parseDuration,
  path: (value, folders) => absolute(String(value), folders),
  store: (value, folders) => parseStoreAddress(String(value), (path) => absolute(path, folders)),
  keyring: (value, folders) => decodeKeyring(String(value), folders),
  url: (value) => URL.parse(String(value))?.origin,
};

/** Settings whose text may contain a password: messages do not repeat it. */
export const SECRET_KINDS: readonly (Kind | undefined)[] = ['store'];

export function absolute(path: string, { base, data }: Folders): string {
  const named = path.replace(/^<dataFolder>/, data);
  return isAbsolute(named) ? named : resolve(base, named);
}

function decodeKeyring(text: string, folders: Folders): KeyringSource {
  if (!text.startsWith('env:')) return { from: 'file', path: absolute(text, folders) };
  return { from: 'variable', name: text.slice('env:'.length) };
}
