import { type Command, Option } from 'commander';
import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import { OPTIONAL_CURVES, type RevocationCheck } from '../../core/issuer.ts';
import { asYesNo, collect, examples } from '../terminal/options.ts';
import type { AddFlags, ChangeFlags, ListFlags } from './work/issuer.ts';

const work = () => import('./work/issuer.ts');

export function issuerCommands(program: Command): void {
  const group = program.command('issuer').description('authorities whose certificates may authorize');
  declareAdd(group);
  declareChange(group);
  declareList(group);
  declareShow(group);
  declareRemove(group);
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
    .action(async (label: string, file: string, flags: AddFlags, command: Command) =>
      (await work()).addIssuer(label, file, flags, command),
    );
}

function declareChange(group: Command): void {
  group
    .command('change')
    .argument('<label>')
    .description('change what the flags name; the rest stays, and so do existing grants')
    .option('--certificate <file>', 'PEM: a renewed certificate of the same key, intermediates behind it')
    .addOption(
      new Option('--identity-from <sources...>', 'where a certificate says who is calling').choices(IDENTITY_SOURCES),
    )
    .option('--derived <yes|no>', 'make identities from names, or look them up in the directory', asYesNo)
    .addOption(new Option('--profile <profile>', 'how strict').choices(['rfc5280', 'strict']))
    .addOption(new Option('--curve <curves...>', 'further elliptic curves from now on').choices(OPTIONAL_CURVES))
    .option('--no-curve', 'no further curves')
    .addOption(new Option('--upn <comparison>', 'how user principal names compare').choices(UPN_COMPARISONS))
    .addOption(new Option('--crl <check>', 'revocation lists').choices(CHECKS))
    .addOption(new Option('--ocsp <check>', 'online status').choices(CHECKS))
    .option(
      '--crl-file <file>',
      'its list files from now on, required unless --crl says otherwise; may be repeated',
      collect,
    )
    .option('--no-crl-file', 'no list files')
    .option('--allow-address <address>', 'its allowed addresses from now on; may be repeated', collect)
    .option('--no-allow-address', 'none but public ones')
    .option('--keep-grants <yes|no>', 'whether grants outlive the revocation of their certificate', asYesNo)
    .option('--only-integration <client_id>', 'for these integrations only; may be repeated', collect)
    .option('--no-only-integration', 'for every integration')
    .addHelpText(
      'after',
      examples(
        'tessera issuer change corp --profile strict --crl required',
        'tessera issuer change corp --certificate corp-ca-renewed.pem',
      ),
    )
    .action(async (label: string, flags: ChangeFlags, command: Command) =>
      (await work()).changeOne(label, flags, command),
    );
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the approved issuers')
    .option('--all', 'include removed issuers')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera issuer list', 'tessera issuer list --all --json'))
    .action(async (flags: ListFlags, command: Command) => (await work()).printIssuers(flags, command));
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<label>')
    .description('show one issuer with all its settings, also a removed one')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera issuer show corp'))
    .action(async (label: string, flags: { json?: true }, command: Command) =>
      (await work()).printIssuer(label, flags, command),
    );
}

function declareRemove(group: Command): void {
  group
    .command('remove')
    .argument('<label>')
    .description('withdraw the approval: its certificates no longer authorize; existing grants stay')
    .addHelpText('after', examples('tessera issuer remove corp'))
    .action(async (label: string, _: unknown, command: Command) => (await work()).removeIssuer(label, command));
}
