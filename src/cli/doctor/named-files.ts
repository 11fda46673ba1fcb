import { statSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineFile, examineFiles, MISSING_KEYRING, MISSING_STORE } from './files.ts';
import { type Finding, poor } from './finding.ts';

type NamedFile = readonly [about: string, path: string, todo: string];

const INIT = 'Do: tessera init';
const PUT = 'Put it there, or change the setting.';

/** The files that settings name, without opening the store. A missing one is only a warning: the rest may come later. */
export function examineNamedFiles(config: Config): Finding[] {
  const missing = namedFiles(config).filter(([, path]) => isMissing(path));
  const isOfMissing = ({ says }: Finding) => missing.some(([, path]) => says.startsWith(`${path} `));
  const found = [...examineFiles(config), ...examineServerCertificates(config), ...examineLogo(config)];
  return [
    ...found.filter((finding) => !isOfMissing(finding)),
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
    ...(keyring.from === 'file' ? [['keyring file', keyring.path, MISSING_KEYRING] as const] : []),
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

function examineLogo({ pages: { logo } }: Config): Finding[] {
  return logo === undefined ? [] : examineFile('logo', logo, { forbidden: 0, why: '', todo: '' });
}
