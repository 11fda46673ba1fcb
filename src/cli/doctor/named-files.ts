import { statSync } from 'node:fs';
import { readKeys } from '../../config/keys.ts';
import type { Config } from '../../config/schema.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineFile, examineFiles, MISSING_KEYRING, MISSING_STORE } from './files.ts';
import { bad, type Finding, poor } from './finding.ts';

type NamedFile = readonly [about: string, path: string, todo: string];

const KEYRING = 'keyring file';
const INIT = 'Do: tessera init';
const SET = 'Set it for the service; it may be set there already, and not here.';
const PUT = 'Put it there, or change the setting.';

/** The files and the variable that settings name, without opening the store. A missing one is only a warning: the rest may come later. */
export function examineNamedFiles(config: Config): Finding[] {
  const missing = namedFiles(config).filter(([, path]) => isMissing(path));
  const isOfMissing = ({ says }: Finding) => missing.some(([, path]) => says.startsWith(`${path} `));
  const keyring = examineKeyring(config);
  const files = examineFiles(config).filter(
    ({ about, verdict }) => !(keyring && about === KEYRING && verdict === 'poor'),
  );
  const found = [...files, ...examineServerCertificates(config), ...examineLogo(config)];
  const isFound = found.some(({ about, verdict }) => about === KEYRING && verdict === 'bad');
  return [
    ...found.filter((finding) => !isOfMissing(finding)),
    ...(keyring && !isFound ? [keyring] : []),
    ...missing.map(([about, path, todo]) => poor(about, `${path} is not there yet`, todo)),
  ];
}

/** A file in a folder that this user may not open is not missing. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function namedFiles({ dataFolder, keyring, store, listeners, pages }: Config): readonly NamedFile[] {
  return [
    ['data folder', dataFolder, INIT],
    ...(keyring.from === 'file' ? [[KEYRING, keyring.path, MISSING_KEYRING] as const] : []),
    ...(store.kind === 'sqlite' ? [['store file', store.path, MISSING_STORE] as const] : []),
    ...listeners.flatMap(({ tls, host, port }): readonly NamedFile[] => {
      if (!tls) return [];
      return [
        [`certificate of ${host}:${port}`, tls.certificate, PUT],
        [`key of ${host}:${port}`, tls.key, PUT],
      ];
    }),
    ...(pages.logo === undefined ? [] : [['logo', pages.logo, PUT] as const]),
  ];
}

/** Undefined if the keyring can be used, or its file is missing. */
function examineKeyring(config: Config): Finding | undefined {
  const { keyring } = config;
  try {
    const keys = readKeys(config, process.env);
    return keys || keyring.from === 'file'
      ? undefined
      : poor('keyring', `the variable ${keyring.name} is not set`, SET);
  } catch (error) {
    const about = keyring.from === 'file' ? KEYRING : 'keyring';
    return bad(about, (error as Error).message, 'The service does not start until this is fixed.');
  }
}

export function examineLogo({ pages: { logo } }: Config): Finding[] {
  return logo === undefined ? [] : examineFile('logo', logo, { forbidden: 0, why: '', todo: '' });
}
