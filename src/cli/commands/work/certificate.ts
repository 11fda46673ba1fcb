import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { IdentitySource } from '../../../core/certificate.ts';
import type { ApprovedIssuer, OptionalCurve } from '../../../core/issuer.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { openDirectories } from '../../../open-directory.ts';
import { objectionToSettings } from '../../../operations/admin/acts/issuer.ts';
import { type CallerExplanation, explainCaller } from '../../../operations/admin/explain-caller.ts';
import { systemFetch } from '../../../outbound/guarded-fetch.ts';
import { readPemOrDer, writePem } from '../../../pki/der/pem.ts';
import { CertificateJudge } from '../../../pki/judge/certificate-judge.ts';
import { explainFiles, explainHandshake, printExplanation } from '../../../pki/judge/explain.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { systemClock } from '../../../system.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace, type Workplace } from '../../terminal/workplace.ts';
import { refuseAtService, serviceOf } from '../administration.ts';
import { printDryRun } from './explain.ts';

export interface ExplainFlags {
  readonly chain?: readonly string[];
  readonly issuers?: readonly string[];
  readonly crl?: readonly string[];
  readonly at?: EpochSeconds;
  readonly profile?: ApprovedIssuer['profile'];
  readonly source?: readonly IdentitySource[];
  readonly trustDomain?: readonly string[];
  readonly policy?: readonly string[];
  readonly curve?: readonly OptionalCurve[];
  readonly mlDsa?: true;
  readonly throughProxy?: true;
  readonly json?: true;
}

export async function explain(file: string, flags: ExplainFlags, command: Command): Promise<void> {
  const { issuers } = flags;
  const chain = readAll([file, ...(flags.chain ?? [])]).flatMap((one) => readPemOrDer(one, 'CERTIFICATE'));
  const sent = (explained: CallerExplanation) => (flags.throughProxy ? explained : explainHandshake(explained, chain));
  if (issuers) return show(sent(await explainByFiles(file, { ...flags, issuers })), flags);
  if (Object.keys(settingsOf(flags)).length > 0) {
    throw new CommandFailure(
      'usage',
      'the settings of an issuer, such as --profile and --source, go with --issuers',
      'Without --issuers, the settings of the approved issuer decide: tessera issuer list --json',
    );
  }
  const service = await serviceOf(command);
  if (service) {
    refuseAtService({ at: flags.at, crl: flags.crl });
    const certificates = chain.map(writePem).join('');
    const explained = await service.act('explain-certificate', { body: { certificates } });
    return show(sent(explained), flags);
  }
  return atWorkplace(command, async (workplace) => {
    show(sent(await explainByStore(chain, flags, workplace)), flags);
  });
}

function settingsOf({ profile, source, trustDomain, policy, curve, mlDsa }: ExplainFlags): Partial<ApprovedIssuer> {
  return {
    ...(profile && { profile }),
    ...(source && { identitySources: source }),
    ...(trustDomain && { trustDomains: trustDomain }),
    ...(policy && { policies: policy }),
    ...(curve && { curves: curve }),
    ...(mlDsa && { mlDsa }),
  };
}

async function explainByFiles(
  file: string,
  { issuers, ...flags }: ExplainFlags & { issuers: readonly string[] },
): Promise<CallerExplanation> {
  const { chain = [], crl = [], at } = flags;
  const settings = settingsOf(flags);
  const { identitySources = ['common-name'], trustDomains = [], policies = [] } = settings;
  const objection = objectionToSettings({ identitySources, identities: 'derived', trustDomains, policies });
  if (objection) accepted(objection);
  const [certificate = new Uint8Array(), ...rest] = readAll([file, ...chain]);
  return explainFiles({
    certificate,
    chain: rest,
    issuers: readAll(issuers),
    crls: readAll(crl),
    settings,
    now: at ?? systemClock.now(),
  });
}

/** Judges as a request would be judged now: reads and fetches lists, asks OCSP responders; writes nothing. */
async function explainByStore(
  chain: readonly Uint8Array[],
  { crl = [], at }: ExplainFlags,
  { store, config }: Workplace,
): Promise<CallerExplanation> {
  const registry = await FollowedRegistry.load(store);
  const now = at ?? systemClock.now();
  const judge = new CertificateJudge({ fetch: systemFetch(), now: () => now });
  const lists = registry.issuers.flatMap(({ revocation }) => revocation.crlFiles);
  judge.revocation.useFiles([...new Set([...lists, ...crl])].map((path) => readFileSync(path)));
  return explainCaller(chain, now, { judge, registry, store, directories: await openDirectories(store, config) });
}

function show(explanation: CallerExplanation, { json }: ExplainFlags): void {
  printDryRun(explanation, printExplanation(explanation), json);
}

function readAll(files: readonly string[]): Uint8Array[] {
  return files.map((file) => readFileSync(file));
}
