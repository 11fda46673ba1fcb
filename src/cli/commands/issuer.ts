import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import { oncePer } from '../../core/once-per.ts';
import type { WrittenIssuer } from '../../operations/admin/issuer-objects.ts';
import { declares, describes, type Flags } from '../terminal/manual.ts';
import { worksOf, yesNo } from './things.ts';

const FLAGS = `
  --identity-from <sources...>  where a certificate says who is calling; the first that is present counts (default:
      common-name) [${IDENTITY_SOURCES.join('|')}] -> identitySources
  --derived [yes|no]          make identities from the names in certificates, instead of looking them up in the
      directory -> identities
  --directory <label>         look names up in this directory (default: local); may be repeated -> directories
  --no-directory              only the local directory
  --profile <profile>         how strict (default: rfc5280) [rfc5280|strict] -> profile
  --curve <curves...>         elliptic curves to allow beside P-256, P-384 and P-521 [${OPTIONAL_CURVES.join('|')}] -> curves
  --no-curve                  no further curves
  --ml-dsa [yes|no]           allow keys and signatures of ML-DSA (FIPS 204) -> mlDsa
  --trust-domain <domain>     with spiffe-id: a trust domain of its certificates; may be repeated -> trustDomains
  --no-trust-domain           no trust domains
  --policy <oid>              require this certificate policy, or another that is given; may be repeated -> policies
  --no-policy                 no policy is required
  --upn <comparison>          how user principal names compare: active-directory ignores ASCII case (default: exact)
      [${UPN_COMPARISONS.join('|')}] -> upnComparison
  --crl <check>               revocation lists (default: required with --crl-file, else if-available)
      [required|if-available|off] -> revocation.crl
  --ocsp <check>              online status (default: off) [required|if-available|off] -> revocation.ocsp
  --crl-file <file>           a revocation list on this machine, read again when it changes; may be repeated
      -> revocation.crlFiles
  --no-crl-file               no list files
  --allow-address <address>   an address or network (10.0.0.0/8) off the public internet from which lists and OCSP
      answers are fetched; may be repeated -> revocation.allowedAddresses
  --no-allow-address          none but public ones
  --keep-grants [yes|no]      grants outlive the revocation of their certificate -> revocation.endGrants
  --only-integration <client_id>  for this integration only; may be repeated -> integrations
  --no-only-integration       for every integration
`;

const RENEWED = `
  --certificate <file>        PEM: a renewed certificate of the same key, intermediates behind it -> pem
`;

const TEXT = `
issuer                        authorities whose certificates may authorize
issuer add <label> <file>     approve an issuer
  <label>                     names the issuer, and identities derived from its certificates
  <file>                      PEM: the authority's certificate, intermediates behind it
${FLAGS}
  $ tessera issuer add corp corp-ca.pem --identity-from upn-san email-san
  $ tessera issuer add fleet fleet-ca.pem --derived --only-integration orders-sync
  $ tessera issuer add mesh mesh-ca.pem --identity-from spiffe-id --trust-domain prod.example --derived
  $ tessera issuer add bank bank-ca.pem --profile strict --crl-file /var/lib/bank/ca.crl --ocsp if-available
  $ tessera issuer add intranet intranet-ca.pem --crl required --allow-address 10.20.0.0/16
issuer change <label>         change what the flags name; the rest stays, and so do existing grants
${RENEWED}
${FLAGS}
  $ tessera issuer change corp --profile strict --crl required
  $ tessera issuer change corp --certificate corp-ca-renewed.pem
issuer list                   list the approved issuers
  --all                       include removed issuers
  --json                      as JSON
  $ tessera issuer list
  $ tessera issuer list --all --json
issuer show <label>           show one issuer with all its settings, also a removed one
  --json                      as JSON
  $ tessera issuer show corp
issuer remove <label>         accept its certificates no longer; existing grants stay
  $ tessera issuer remove corp
`;

const described = describes(RENEWED + FLAGS, {
  identities: (isDerived: boolean) => (isDerived ? 'derived' : 'directory'),
  'revocation.crlFiles': (paths: readonly string[]) => paths.map((path) => resolve(path)),
  'revocation.endGrants': (keeps: boolean) => !keeps,
});

export const commands = declares(
  TEXT,
  worksOf('issuer', {
    body: bodyOf,
    added: (label, { subject }) => `Approved ${label}: ${subject}`,
    needsFlag: true,
    columns: ['label', 'approved', 'expires', 'profile', 'revocation', 'identity from', 'authority'],
    row: rowOf,
    record: recordOf,
    asJson: shown,
    removed: (label) => [`The issuer ${label} is no longer approved`, { label, enabled: false }],
  }),
);

const USUAL = { identitySources: ['common-name'], revocation: { ocsp: 'off' } };

/** A change may be made again, but pipes are read once. */
const pemOf = oncePer(({ certificate, file = certificate }: Flags) =>
  typeof file === 'string' ? readFileSync(file, 'latin1') : undefined,
);

function bodyOf(flags: Flags, before?: WrittenIssuer): object {
  // A list that is named on purpose is required.
  const isRequired = flags['crlFile'] && !flags['crl'];
  const required = before && isRequired ? { revocation: { ...before.revocation, crl: 'required' } } : {};
  return described({ ...flags, certificate: pemOf(flags) }, { ...(before ?? USUAL), ...required });
}

function rowOf(written: WrittenIssuer) {
  const { label, subject, expires, profile, identitySources, identities, enabled, revocation } = shown(written);
  const identityFrom = `${identitySources.join(', ')} (${identities})`;
  const checks = `crl ${revocation.crl}, ocsp ${revocation.ocsp}`;
  return [label, enabled ? 'yes' : 'removed', expires, profile, checks, identityFrom, subject];
}

function recordOf(written: WrittenIssuer) {
  const { revocation, ...issuer } = shown(written);
  return {
    label: issuer.label,
    approved: issuer.enabled ? 'yes' : 'removed',
    authority: issuer.subject,
    expires: issuer.expires,
    fingerprint: issuer.fingerprint,
    intermediates: issuer.intermediates,
    profile: issuer.profile,
    curves: issuer.curves?.join(' ') ?? '',
    'ML-DSA': yesNo(issuer.mlDsa),
    'required policies': issuer.policies?.join(' ') ?? '',
    'trust domains': issuer.trustDomains?.join(' ') ?? '',
    'identity from': issuer.identitySources.join(', '),
    identities: issuer.identities,
    directories: issuer.directories?.join(' ') ?? '',
    'principal names compare': issuer.upnComparison ?? 'exact',
    'revocation lists': revocation.crl,
    'list files': revocation.crlFiles.join(' '),
    OCSP: revocation.ocsp,
    'allowed addresses': revocation.allowedAddresses?.join(' ') ?? '',
    'revocation ends grants': yesNo(revocation.endGrants),
    'only integrations': issuer.integrations?.join(' ') ?? '',
  };
}

type ListedIssuer = Omit<ApprovedIssuer, 'certificate' | 'intermediates'> &
  Required<Pick<WrittenIssuer, 'subject' | 'expires' | 'fingerprint' | 'intermediates'>>;

/** Without the certificates themselves, whose facts are shown. */
function shown(written: WrittenIssuer): ListedIssuer {
  const { pem: _, ...issuer } = written;
  return issuer as unknown as ListedIssuer;
}
