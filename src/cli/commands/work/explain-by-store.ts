// `certificate explain` against the installation: its approved issuers, its directory and its integrations.
import { readFileSync } from 'node:fs';
import type { EpochSeconds } from '../../../core/time.ts';
import { openDirectory } from '../../../open-directory.ts';
import { type CallerExplanation, explainCaller } from '../../../operations/admin/explain-caller.ts';
import { systemFetch } from '../../../outbound/system-fetch.ts';
import { readPemOrDer } from '../../../pki/der/pem.ts';
import { CertificateJudge } from '../../../pki/judge/certificate-judge.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { systemClock } from '../../../system.ts';
import type { Workplace } from '../../terminal/workplace.ts';

/** Judges as a request would be judged now: reads and fetches lists, asks OCSP responders; writes nothing. */
export async function explainByStore(
  files: readonly Uint8Array[],
  { crl = [], at }: { readonly crl?: readonly string[]; readonly at?: EpochSeconds },
  { store }: Workplace,
): Promise<CallerExplanation> {
  const registry = await FollowedRegistry.load(store);
  const now = at ?? systemClock.now();
  const judge = new CertificateJudge({ fetch: systemFetch(), now: () => now });
  const lists = registry.issuers.flatMap(({ revocation }) => revocation.crlFiles);
  judge.revocation.useFiles([...new Set([...lists, ...crl])].map((path) => readFileSync(path)));
  const chain = files.flatMap((file) => readPemOrDer(file, 'CERTIFICATE'));
  return explainCaller(chain, now, { judge, registry, store, directory: openDirectory(store) });
}
