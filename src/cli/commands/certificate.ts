import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { IDENTITY_SOURCES, type IdentitySource } from '../../core/certificate.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { CallerExplanation } from '../../operations/admin/explain-caller.ts';
import { CommandFailure, EXIT } from '../terminal/exit.ts';
import { examples } from '../terminal/options.ts';
import { print, printJson } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';

interface ExplainFlags {
  readonly chain?: readonly string[];
  readonly issuers?: readonly string[];
  readonly crl?: readonly string[];
  readonly at?: EpochSeconds;
  readonly profile?: ApprovedIssuer['profile'];
  readonly source?: readonly IdentitySource[];
  readonly json?: true;
}

export function certificateCommands(program: Command): void {
  const group = program.command('certificate').description('client certificates: who would be calling, and why not');
  group
    .command('explain')
    .argument('<file>', 'PEM or DER: the certificate, and what else the caller would send behind it')
    .description('a dry run: step by step, what the service makes of a client certificate; nothing is changed')
    .option('--chain <files...>', 'further certificates that the caller would send')
    .option('--issuers <files...>', 'judge by these issuers alone, instead of those of the store')
    .option('--crl <files...>', 'revocation lists; with --issuers they are required')
    .option('--at <time>', 'judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)', asMoment)
    .addOption(new Option('--profile <profile>', 'with --issuers: how strict').choices(['rfc5280', 'strict']))
    .addOption(
      new Option('--source <sources...>', 'with --issuers: where the certificate says who is calling').choices(
        IDENTITY_SOURCES,
      ),
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'tessera certificate explain caller.pem',
        'tessera certificate explain caller.pem --issuers ca.pem --crl ca.crl --profile strict',
      ),
    )
    .action(explain);
}

async function explain(file: string, flags: ExplainFlags, command: Command): Promise<void> {
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
    const { explainByStore } = await import('../explain-caller.ts');
    await show(await explainByStore(readAll([file, ...(flags.chain ?? [])]), flags, workplace), flags);
  });
}

async function explainByFiles(
  file: string,
  { issuers, chain = [], crl = [], at, profile, source }: ExplainFlags & { issuers: readonly string[] },
): Promise<CallerExplanation> {
  const { explainFiles } = await import('../../pki/judge/explain-files.ts');
  const { systemClock } = await import('../../system.ts');
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

async function show(explanation: CallerExplanation, { json }: ExplainFlags): Promise<void> {
  const { printExplanation } = await import('../../pki/judge/explain.ts');
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

function asMoment(text: string): EpochSeconds {
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('Expected a moment such as 2027-01-31T12:00:00Z.');
  return epochSeconds(moment);
}
