import { existsSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { openStore } from '../../open-store.ts';
import type { Store } from '../../store/store.ts';
import { examineAddress } from './address.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineContents } from './contents.ts';
import { examineFileSystem } from './file-system.ts';
import { examineFiles } from './files.ts';
import { bad, type Finding, good } from './finding.ts';
import { examineKeyring } from './keyring.ts';

/** Every check, in the order in which an operator would mend things. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const findings = [
    good('configuration', 'in order'),
    ...(await examineAddress(config)),
    ...examineFiles(config),
    ...examineFileSystem(config),
    ...examineServerCertificates(config),
  ];
  const opened = await openExisting(config);
  if ('verdict' in opened) return [...findings, opened];
  try {
    const now = await opened.now();
    findings.push(...(await examineStore(opened)));
    return [...findings, ...(await examineKeyring(config, opened)), ...(await examineContents(opened, now))];
  } finally {
    await opened.close();
  }
}

/** What the store says of itself. */
async function examineStore(store: Store): Promise<Finding[]> {
  const { checks } = await store.examine();
  const problems = checks.flatMap(({ name, problem }) => (problem ? [{ name, ...problem }] : []));
  if (problems.length === 0) return [good('store', 'answers, and has the schema of this release')];
  return problems.map(({ name, reason, detail }) =>
    bad(
      `store (${name})`,
      detail === undefined ? reason : `${reason}: ${detail}`,
      'The service is not ready until this is mended.',
    ),
  );
}

async function openExisting(config: Config): Promise<Store | Finding> {
  const { store } = config;
  if (store.kind === 'sqlite' && !existsSync(store.path))
    return bad('store', `there is none at ${store.path}`, 'Do: tessera init');
  try {
    return await openStore(config, 'command');
  } catch (error) {
    return bad('store', `cannot be used: ${(error as Error).message}`, 'Restore it from its backup, or free the disk.');
  }
}
