import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { IdentitySource } from '../../../core/certificate.ts';
import type { ApprovedIssuer, OptionalCurve } from '../../../core/issuer.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { objectionToSettings } from '../../../operations/admin/acts/work/issuer.ts';
import type { CallerExplanation } from '../../../operations/admin/explain.ts';
import { readPemOrDer, writePem } from '../../../pki/der/pem.ts';
import { explainFiles, printExplanation } from '../../../pki/judge/explain.ts';
import { systemClock } from '../../../system.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { accepted } from '../../terminal/wording.ts';
import { administered } from '../administration.ts';
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
  readonly json?: true;
}

export async function explain(file: string, flags: ExplainFlags, command: Command): Promise<void> {
  const { issuers } = flags;
  const chain = readAll([file, ...(flags.chain ?? [])]).flatMap((one) => readPemOrDer(one, 'CERTIFICATE'));
  if (chain.length === 0) throw new CommandFailure('usage', `${file} has no certificate`, 'Give a file in PEM or DER.');
  if (issuers) return show(await explainByFiles(file, { ...flags, issuers }), flags);
  if (Object.keys(settingsOf(flags)).length > 0) {
    throw new CommandFailure(
      'usage',
      'the settings of an issuer, such as --profile and --source, go with --issuers',
      'Without --issuers, the settings of the approved issuer decide: tessera issuer list --json',
    );
  }
  const certificates = chain.map(writePem).join('');
  return administered(command, async ({ act }) => {
    const { at, crl } = flags;
    show(await act('explain-certificate', { body: { certificates } }, { at, crl }), flags);
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

function show(explanation: CallerExplanation, { json }: ExplainFlags): void {
  printDryRun(explanation, printExplanation(explanation), json);
}

function readAll(files: readonly string[]): Uint8Array[] {
  return files.map((file) => readFileSync(file));
}
