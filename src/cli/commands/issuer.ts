import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { IDENTITY_SOURCES, type IdentitySource, UPN_COMPARISONS, type UpnComparison } from '../../core/certificate.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES, type OptionalCurve, type RevocationCheck } from '../../core/issuer.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { collect, examples } from '../terminal/options.ts';
import { print, printJson, printTable } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';

export function issuerCommands(program: Command): void {
  const group = program.command('issuer').description('authorities whose certificates may authorize');
  declareAdd(group);
  declareList(group);
  declareRemove(group);
}

interface AddFlags {
  readonly identityFrom: readonly IdentitySource[];
  readonly derived?: true;
  readonly profile: ApprovedIssuer['profile'];
  readonly curve?: readonly OptionalCurve[];
  readonly upn: UpnComparison;
  readonly crl?: RevocationCheck;
  readonly ocsp: RevocationCheck;
  readonly crlFile?: readonly string[];
  readonly allowAddress?: readonly string[];
  readonly keepGrants?: true;
  readonly onlyIntegration?: readonly string[];
}

const CHECKS: readonly RevocationCheck[] = ['required', 'if-available', 'off'];

function declareAdd(group: Command): void {
  group
    .command('add')
    .argument('<label>', 'names the issuer, and identities derived from its certificates')
    .argument('<file>', "PEM: the authority's certificate, intermediates behind it")
    .description('approve an issuer')
    .addOption(
      new Option(
        '--identity-from <sources...>',
        'where a certificate says who is calling; the first that is present counts',
      )
        .choices(IDENTITY_SOURCES)
        .default(['common-name']),
    )
    .option('--derived', 'make identities from the names in certificates, instead of looking them up in the directory')
    .addOption(new Option('--profile <profile>', 'how strict').choices(['rfc5280', 'strict']).default('rfc5280'))
    .addOption(
      new Option('--curve <curves...>', 'elliptic curves to allow beside P-256, P-384 and P-521').choices(
        OPTIONAL_CURVES,
      ),
    )
    .addOption(
      new Option('--upn <comparison>', 'how user principal names compare: active-directory ignores ASCII case')
        .choices(UPN_COMPARISONS)
        .default('exact'),
    )
    .addOption(
      new Option('--crl <check>', 'revocation lists (default: required with --crl-file, else if-available)').choices(
        CHECKS,
      ),
    )
    .addOption(new Option('--ocsp <check>', 'online status').choices(CHECKS).default('off'))
    .option(
      '--crl-file <file>',
      'a revocation list on this machine, read again when it changes; may be repeated',
      collect,
    )
    .option(
      '--allow-address <address>',
      'an address or network (10.0.0.0/8) off the public internet from which lists and OCSP answers are fetched; may be repeated',
      collect,
    )
    .option('--keep-grants', 'grants outlive the revocation of their certificate')
    .option('--only-integration <client_id>', 'for this integration only; may be repeated', collect)
    .addHelpText(
      'after',
      examples(
        'tessera issuer add corp corp-ca.pem --identity-from upn-san email-san',
        'tessera issuer add fleet fleet-ca.pem --derived --only-integration orders-sync',
        'tessera issuer add bank bank-ca.pem --profile strict --crl-file /var/lib/bank/ca.crl --ocsp if-available',
        'tessera issuer add intranet intranet-ca.pem --crl required --allow-address 10.20.0.0/16',
      ),
    )
    .action((label: string, file: string, flags: AddFlags, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { approveIssuer } = await import('../../operations/admin/approve-issuer.ts');
        const { granted } = await import('../terminal/wording.ts');
        const issuer = granted(
          await approveIssuer(await draftOf(label, readFileSync(file, 'latin1'), flags), workplace),
        );
        print(`Approved ${label}: ${(await factsOf(issuer)).subject}`);
      }),
    );
}

async function draftOf(label: string, pem: string, flags: AddFlags) {
  const { identityFrom, derived, profile, curve = [], upn, crl, ocsp, keepGrants, onlyIntegration = [] } = flags;
  const allowedAddresses = await addressRanges(flags.allowAddress ?? []);
  const crlFiles = await Promise.all((flags.crlFile ?? []).map(listFile));
  // A list that somebody took the trouble to configure closes when it is missing or stale.
  const usual = crlFiles.length > 0 ? 'required' : 'if-available';
  return {
    label,
    pem,
    identitySources: identityFrom,
    identities: derived ? ('derived' as const) : ('directory' as const),
    profile,
    ...(curve.length > 0 && { curves: curve }),
    ...(upn !== 'exact' && { upnComparison: upn }),
    revocation: {
      ...{ crl: crl ?? usual, ocsp, crlFiles, endGrants: !keepGrants },
      ...(allowedAddresses.length > 0 && { allowedAddresses }),
    },
    ...(onlyIntegration.length > 0 && { integrations: onlyIntegration as ApprovedIssuer['integrations'] & {} }),
  };
}

async function addressRanges(texts: readonly string[]): Promise<readonly string[]> {
  const { isAddressRange } = await import('../../outbound/address-filter.ts');
  const wrong = texts.find((text) => !isAddressRange(text));
  if (wrong === undefined) return texts;
  throw new CommandFailure(
    'refused',
    `${wrong} is no IP address`,
    'Give an address or a network, such as 10.1.0.0/16.',
  );
}

/** Its full path, for the service may run elsewhere; and a list it must be, or every caller would be refused. */
async function listFile(path: string): Promise<string> {
  const { whyNoListFile } = await import('../../pki/revocation/crl-file.ts');
  const objection = whyNoListFile(readFileSync(path));
  if (!objection) return resolve(path);
  throw new CommandFailure('refused', `${path}: ${objection}`, 'Give a file with CRLs, PEM or DER.');
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the approved issuers')
    .option('--all', 'those that were removed, too')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera issuer list', 'tessera issuer list --all --json'))
    .action(({ json, all }: { json?: true; all?: true }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { rows } = await import('../../store/pages.ts');
        const { issuers } = await import('../../store/tables/registry.ts');
        const found = (await Array.fromAsync(rows(store, issuers))).filter(({ enabled }) => all || enabled);
        const shown = await Promise.all(found.map(factsOf));
        if (json) return printJson(shown);
        const lines = shown.map(({ label, subject, expires, profile, identitySources, identities, enabled }) => [
          label,
          enabled ? 'yes' : 'removed',
          expires,
          profile,
          `${identitySources.join(', ')} (${identities})`,
          subject,
        ]);
        printTable(['label', 'approved', 'expires', 'profile', 'identity from', 'authority'], lines);
      }),
    );
}

async function factsOf({ certificate, intermediates, ...issuer }: ApprovedIssuer) {
  const { X509Certificate } = await import('node:crypto');
  const { subject, validTo, fingerprint256 } = new X509Certificate(certificate);
  return {
    ...issuer,
    subject: subject.replaceAll('\n', ', '),
    expires: new Date(validTo).toISOString().slice(0, 10),
    fingerprint: fingerprint256,
    intermediates: intermediates.length,
  };
}

function declareRemove(group: Command): void {
  group
    .command('remove')
    .argument('<label>')
    .description('withdraw the approval: its certificates authorize no more; existing grants stay')
    .addHelpText('after', examples('tessera issuer remove corp'))
    .action((label: string, _: unknown, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { withdrawIssuer } = await import('../../operations/admin/withdraw-issuer.ts');
        const { granted } = await import('../terminal/wording.ts');
        granted(await withdrawIssuer(label, workplace));
        print(`The issuer ${label} is no longer approved`);
      }),
    );
}
