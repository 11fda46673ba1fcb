import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { IdentitySource } from '../../../core/certificate.ts';
import type { ApprovedIssuer } from '../../../core/issuer.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import type { CallerExplanation } from '../../../operations/admin/explain-caller.ts';
import { printExplanation } from '../../../pki/judge/explain.ts';
import { explainFiles } from '../../../pki/judge/explain-files.ts';
import { systemClock } from '../../../system.ts';
import { CommandFailure, EXIT } from '../../terminal/exit.ts';
import { print, printJson } from '../../terminal/output.ts';
import { atWorkplace } from '../../terminal/workplace.ts';
import { explainByStore } from './explain-by-store.ts';

export interface ExplainFlags {
  readonly chain?: readonly string[];
  readonly issuers?: readonly string[];
  readonly crl?: readonly string[];
  readonly at?: EpochSeconds;
  readonly profile?: ApprovedIssuer['profile'];
  readonly source?: readonly IdentitySource[];
  readonly json?: true;
}

export async function explain(file: string, flags: ExplainFlags, command: Command): Promise<void> {
  const { issuers, profile, source } = flags;
  if (issuers) return show(await explainByFiles(file, { ...flags, issuers }), flags);
  if (profile || source) {
    throw new CommandFailure(
      'usage',
      '--profile and --source go with --issuers',
      'Without --issuers, the settings of the approved issuer decide: tessera issuer list --json',
    );
  }
  return atWorkplace(command, async (workplace) => {
    show(await explainByStore(readAll([file, ...(flags.chain ?? [])]), flags, workplace), flags);
  });
}

async function explainByFiles(
  file: string,
  { issuers, chain = [], crl = [], at, profile, source }: ExplainFlags & { issuers: readonly string[] },
): Promise<CallerExplanation> {
  const [certificate = new Uint8Array(), ...rest] = readAll([file, ...chain]);
  return explainFiles({
    certificate,
    chain: rest,
    issuers: readAll(issuers),
    crls: readAll(crl),
    settings: { ...(profile && { profile }), ...(source && { identitySources: source }) },
    now: at ?? systemClock.now(),
  });
}

function show(explanation: CallerExplanation, { json }: ExplainFlags): void {
  if (json) printJson(explanation);
  else for (const line of printExplanation(explanation)) print(line);
  if (!json) for (const line of printReach(explanation)) print(line);
  if (!explanation.accepted) process.exitCode = EXIT.refused;
}

function printReach({ reach = [] }: CallerExplanation): string[] {
  return reach.map(({ clientId, refusal }) =>
    refusal ? `  ${clientId} would refuse: ${refusal}` : `  ${clientId} would accept`,
  );
}

function readAll(files: readonly string[]): Uint8Array[] {
  return files.map((file) => readFileSync(file));
}
