import { readKeys } from '../../config/keys.ts';
import type { Config } from '../../config/schema.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineFile, examineFiles } from './files.ts';
import { bad, type Finding, poor } from './finding.ts';

const KEYRING = 'keyring file';
const SET = 'Set it for the service; it may be set there already, and not here.';

/** The files and the variable that settings name, without opening the store. */
export function examineNamedFiles(config: Config): Finding[] {
  const keyring = examineKeyring(config);
  const files = examineFiles(config).filter(
    ({ about, verdict }) => !(keyring && about === KEYRING && verdict === 'poor'),
  );
  const found = [...files, ...examineServerCertificates(config), ...examineLogo(config)];
  const isFound = found.some(({ about, verdict }) => about === KEYRING && verdict === 'bad');
  return [...found, ...(keyring && !isFound ? [keyring] : [])].map(warnIfMissing);
}

/** A missing file may come later. */
function warnIfMissing(finding: Finding): Finding {
  const says = finding.says.replace(/ is missing$/, ' is not there yet');
  return says === finding.says ? finding : { ...finding, verdict: 'poor', says };
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
