import type { Config } from '../../config/schema.ts';
import { unservedDoors } from '../../config/served-doors.ts';
import { FollowedRegistry } from '../../store/registry.ts';
import { examineAddress } from './address.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineContents } from './contents.ts';
import { examineDirectories } from './directories.ts';
import { examineFileSystem } from './file-system.ts';
import { examineFiles } from './files.ts';
import { type Finding, good, poor } from './finding.ts';
import { examineKeyring } from './keyring.ts';
import { examineLogo } from './named-files.ts';
import { examineNode } from './node.ts';
import { examineStore, openForExamination } from './store.ts';
import { examineTracing } from './tracing.ts';

/** Runs every check, in the order in which an operator would fix things. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const findings = [
    good('configuration', 'in order'),
    ...(await examineNode(config)),
    ...(await examineAddress(config)),
    ...examineFiles(config),
    ...examineFileSystem(config),
    ...examineServerCertificates(config),
    ...examineLogo(config),
    ...(await examineTracing(config)),
    ...(await examineDirectories(config)),
  ];
  const opened = await openForExamination(config);
  if ('verdict' in opened) return [...findings, opened];
  try {
    findings.push(...(await examineStore(config, opened)));
    if (findings.some(({ about, verdict }) => about === 'store' && verdict === 'bad')) return findings;
    const registry = await FollowedRegistry.load(opened);
    return [
      ...findings,
      ...(await examineKeyring(config, opened)),
      ...(await examineContents(opened, registry)),
      ...unservedDoors(config, registry).map(({ about, says, todo }) => poor(about, says, todo)),
    ];
  } finally {
    await opened.close();
  }
}
