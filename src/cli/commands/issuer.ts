import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import { OPTIONAL_CURVES, type RevocationCheck } from '../../core/issuer.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asYesNo, collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/issuer.ts');

export function issuerCommands(program: CliCommand): void {
  const group = program.command('issuer').description('authorities whose certificates may authorize');
  declareAdd(group);
  declareChange(group);
  declareList(group);
  declareShow(group);
  declareRemove(group);
}

const CHECKS: readonly RevocationCheck[] = ['required', 'if-available', 'off'];

function declareAdd(group: CliCommand): void {
  group
    .command('add')
    .argument('<label>', 'names the issuer, and identities derived from its certificates')
    .argument('<file>', "PEM: the authority's certificate, intermediates behind it")
    .description('approve an issuer')
    .choice(
      '--identity-from <sources...>',
      'where a certificate says who is calling; the first that is present counts',
      IDENTITY_SOURCES,
      ['common-name'],
    )
    .option('--derived', 'make identities from the names in certificates, instead of looking them up in the directory')
    .option('--directory <label>', 'look names up in this directory (default: local); may be repeated', collect)
    .choice('--profile <profile>', 'how strict', ['rfc5280', 'strict'], 'rfc5280')
    .choice('--curve <curves...>', 'elliptic curves to allow beside P-256, P-384 and P-521', OPTIONAL_CURVES)
    .option('--ml-dsa', 'allow keys and signatures of ML-DSA (FIPS 204)')
    .option('--trust-domain <domain>', 'with spiffe-id: a trust domain of its certificates; may be repeated', collect)
    .option('--policy <oid>', 'require this certificate policy, or another that is given; may be repeated', collect)
    .choice(
      '--upn <comparison>',
      'how user principal names compare: active-directory ignores ASCII case',
      UPN_COMPARISONS,
      'exact',
    )
    .choice('--crl <check>', 'revocation lists (default: required with --crl-file, else if-available)', CHECKS)
    .choice('--ocsp <check>', 'online status', CHECKS, 'off')
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
    .examples(
      'tessera issuer add corp corp-ca.pem --identity-from upn-san email-san',
      'tessera issuer add fleet fleet-ca.pem --derived --only-integration orders-sync',
      'tessera issuer add mesh mesh-ca.pem --identity-from spiffe-id --trust-domain prod.example --derived',
      'tessera issuer add bank bank-ca.pem --profile strict --crl-file /var/lib/bank/ca.crl --ocsp if-available',
      'tessera issuer add intranet intranet-ca.pem --crl required --allow-address 10.20.0.0/16',
    )
    .runs(administers(async () => (await work()).addIssuer));
}

function declareChange(group: CliCommand): void {
  group
    .command('change')
    .argument('<label>')
    .description('change what the flags name; the rest stays, and so do existing grants')
    .option('--certificate <file>', 'PEM: a renewed certificate of the same key, intermediates behind it')
    .choice('--identity-from <sources...>', 'where a certificate says who is calling', IDENTITY_SOURCES)
    .option('--derived <yes|no>', 'make identities from names, or look them up in the directory', asYesNo)
    .option('--directory <label>', 'the directories for its names from now on; may be repeated', collect)
    .option('--no-directory', 'only the local directory')
    .choice('--profile <profile>', 'how strict', ['rfc5280', 'strict'])
    .choice('--curve <curves...>', 'further elliptic curves from now on', OPTIONAL_CURVES)
    .option('--no-curve', 'no further curves')
    .option('--ml-dsa <yes|no>', 'whether keys and signatures of ML-DSA are allowed', asYesNo)
    .option('--trust-domain <domain>', 'its trust domains from now on; may be repeated', collect)
    .option('--no-trust-domain', 'no trust domains')
    .option('--policy <oid>', 'its required policies from now on; may be repeated', collect)
    .option('--no-policy', 'no policy is required')
    .choice('--upn <comparison>', 'how user principal names compare', UPN_COMPARISONS)
    .choice('--crl <check>', 'revocation lists', CHECKS)
    .choice('--ocsp <check>', 'online status', CHECKS)
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
    .examples(
      'tessera issuer change corp --profile strict --crl required',
      'tessera issuer change corp --certificate corp-ca-renewed.pem',
    )
    .runs(administers(async () => (await work()).changeOne));
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the approved issuers')
    .option('--all', 'include removed issuers')
    .option('--json', 'as JSON')
    .examples('tessera issuer list', 'tessera issuer list --all --json')
    .runs(administers(async () => (await work()).printIssuers));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<label>')
    .description('show one issuer with all its settings, also a removed one')
    .option('--json', 'as JSON')
    .examples('tessera issuer show corp')
    .runs(administers(async () => (await work()).printIssuer));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<label>')
    .description('withdraw the approval: its certificates no longer authorize; existing grants stay')
    .examples('tessera issuer remove corp')
    .runs(administers(async () => (await work()).removeIssuer));
}
