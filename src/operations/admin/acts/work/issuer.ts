// Approved issuers as operators write them, and what they must satisfy.
import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isLabel } from '../../../../core/identity.ts';
import type { ApprovedIssuer, RevocationPolicy } from '../../../../core/issuer.ts';
import { accept } from '../../../../core/outcome.ts';
import { type EpochSeconds, isoTime } from '../../../../core/time.ts';
import { isAddressRange } from '../../../../outbound/address-filter.ts';
import { readPem, writePem } from '../../../../pki/der/pem.ts';
import { judgeAuthority } from '../../../../pki/path/path.ts';
import { ANY_POLICY } from '../../../../pki/path/policies.ts';
import type { PathPolicy } from '../../../../pki/path/rule.ts';
import { whyNoListFile } from '../../../../pki/revocation/list-reader.ts';
import { type Certificate, readCertificate } from '../../../../pki/x509/certificate.ts';
import { printName } from '../../../../pki/x509/distinguished-name.ts';
import { rows } from '../../../../store/pages.ts';
import { issuers } from '../../../../store/tables/issuers.ts';
import { tokenIssuers } from '../../../../store/tables/token-issuers.ts';
import { type AdminOutcome, decline } from '../../admin.ts';
import { IssuerObject, type WrittenIssuer } from '../../issuer-objects.ts';
import { DIRECTORY, POLICY, TRUST_DOMAIN } from '../../text-forms.ts';
import { allThatDiffers, claim, type DraftPorts, type ObjectKind, rowOf, unlessEmpty, type Whole } from './kind.ts';
import { thingWork } from './thing.ts';

export const KIND: ObjectKind<'issuer'> = {
  kind: 'issuer',
  section: 'issuers',
  schema: IssuerObject,
  keyOf: ({ label }) => label,
  /** Its settings, and the facts of its certificate. */
  written: ({ certificate, intermediates, ...issuer }) => {
    const { subject, validTo, fingerprint256 } = new X509Certificate(certificate);
    return {
      ...issuer,
      subject: subject.replaceAll('\n', ', '),
      expires: new Date(validTo).toISOString().slice(0, 10),
      fingerprint: fingerprint256,
      intermediates: intermediates.length,
      pem: [certificate, ...intermediates].map(writePem).join(''),
    };
  },
  // A CRL file is configured on purpose, so callers are refused when it is missing or stale.
  complete: (_, { revocation = {} }) => {
    const usual = revocation.crlFiles?.length ? 'required' : 'if-available';
    return { revocation: { crl: usual, ...revocation } };
  },
  /** Contract 5.4: an issuer is pinned by its key, and must be a CA (CVE-2025-6037). A change is checked as if it were approved now. */
  drafted: async (label, { pem, revocation: checks, ...body }, before, ports) => {
    if (!isLabel(label)) return decline('label-malformed', label);
    const whole = settingsOf(body);
    const settings = rowOf<Settings>(whole, undefined);
    const objection = objectionToSettings(settings);
    if (objection) return objection;
    const kept = before ?? (await ports.store.load(issuers, label)).found?.row;
    const revocation = draftedRevocation(checks as RevocationPolicy, kept, ports);
    if (!revocation.ok) return revocation;
    const chain = readAuthorities(readPem(pem, 'CERTIFICATE'), settings, await ports.store.now());
    if (!chain.ok) return chain;
    const [{ der: certificate }, ...intermediates] = chain.value;
    if (before && keyOf(before.certificate) !== keyOf(certificate)) return decline('issuer-key-differs', label);
    const next: Whole<ApprovedIssuer> = {
      ...whole,
      label,
      certificate,
      intermediates: intermediates.map(({ der }) => der),
      revocation: revocation.value,
      enabled: true,
    };
    return accept(rowOf(next, before));
  },
  /** A label is that of one issuer, of whatever kind. With one key under two labels, one certificate would have two identities. */
  objection: async ({ label, certificate }, before, { store }) => {
    if (before) return undefined; // its label and its key stay
    if ((await store.load(tokenIssuers, label)).found) return decline('label-taken', label);
    const key = keyOf(certificate);
    for await (const other of rows(store, issuers)) {
      if (other.enabled && other.label !== label && keyOf(other.certificate) === key)
        return decline('issuer-key-approved', other.label);
    }
    return undefined;
  },
  made: ({ certificate }) => {
    const read = readCertificate(certificate);
    return { did: 'approved', fingerprint: read.ok ? read.value.fingerprint : '' };
  },
  changed: allThatDiffers,
  // The row stays, so that the list of all issuers shows who had the label.
  removal: () => ({ did: 'withdrawn' }),
  claims: ({ label, certificate }) => [
    claim('label', label, 'label-taken'),
    claim('key', keyOf(certificate), 'issuer-key-approved', label),
  ],
};

export const THINGS = thingWork(KIND);

type Settings = Omit<ApprovedIssuer, 'label' | 'certificate' | 'intermediates' | 'revocation' | 'enabled'>;

/** As an issuer is stored: empty lists, and what has its default, are undefined. */
function settingsOf(body: Omit<Required<WrittenIssuer>, 'pem' | 'revocation'>): Whole<Settings> {
  return {
    identitySources: body.identitySources,
    identities: body.identities,
    profile: body.profile,
    curves: unlessEmpty(body.curves),
    directories: unlessEmpty(body.directories),
    integrations: unlessEmpty(body.integrations) as Settings['integrations'],
    trustDomains: unlessEmpty(body.trustDomains),
    policies: unlessEmpty(body.policies),
    mlDsa: unlessEmpty(body.mlDsa),
    upnComparison: body.upnComparison === 'exact' ? undefined : body.upnComparison,
  };
}

/** A CRL file that cannot be used would refuse every caller, so it is refused here. */
function draftedRevocation(
  { crl, ocsp, crlFiles, allowedAddresses = [], endGrants }: RevocationPolicy,
  before: ApprovedIssuer | undefined,
  { readFile }: DraftPorts,
): AdminOutcome<RevocationPolicy> {
  const wrong = allowedAddresses.find((text) => !isAddressRange(text));
  if (wrong !== undefined) return decline('address-range-malformed', wrong);
  const isKept = isDeepStrictEqual(crlFiles, before?.revocation.crlFiles ?? []);
  for (const path of isKept ? [] : crlFiles) {
    if (!readFile) return decline('list-file-elsewhere', path);
    const why = whyNoListFile(readFile(path));
    if (why !== undefined) return decline('crl-file-unusable', `${path}: ${why}`);
  }
  return accept({ crl, ocsp, crlFiles, ...(allowedAddresses.length > 0 && { allowedAddresses }), endGrants });
}

/** The public key of a certificate, for comparisons. */
export function keyOf(certificate: Uint8Array): string {
  const read = readCertificate(certificate);
  return read.ok ? Buffer.from(read.value.publicKey.spki).toString('base64') : '';
}

/** Settings that only make sense together, or have a form. */
export function objectionToSettings(
  issuer: Pick<Settings, 'identitySources' | 'identities' | 'directories' | 'trustDomains' | 'policies'>,
) {
  const { identitySources, identities, directories = [], trustDomains = [], policies = [] } = issuer;
  const label = directories.find((name) => !DIRECTORY.test(name));
  if (label !== undefined) return decline('issuer-setting-malformed', `${label} is not the label of a directory`);
  if (directories.length > 0 && identities === 'derived')
    return decline('issuer-setting-malformed', 'derived identities are looked up in no directory');
  const domain = trustDomains.find((name) => !TRUST_DOMAIN.test(name));
  if (domain !== undefined) return decline('issuer-setting-malformed', `${domain} is not a trust domain`);
  if (policies.includes(ANY_POLICY))
    return decline('issuer-setting-malformed', `${ANY_POLICY} is any-policy, which requires nothing: leave it out`);
  const policy = policies.find((oid) => !POLICY.test(oid));
  if (policy !== undefined) return decline('issuer-setting-malformed', `${policy} is not an object identifier`);
  if (!identitySources.includes('spiffe-id')) return undefined;
  if (trustDomains.length === 0) return decline('issuer-setting-malformed', 'spiffe-id needs a trust domain');
  if (identities === 'derived') return undefined;
  return decline('issuer-setting-malformed', 'spiffe-id needs derived identities');
}

/** Uses the parser and rules that check callers: an authority that every request would fail on is refused now. */
function readAuthorities(
  chain: readonly Uint8Array[],
  policy: PathPolicy,
  now: EpochSeconds,
): AdminOutcome<readonly [Certificate, ...Certificate[]]> {
  const authorities: Certificate[] = [];
  for (const [index, der] of chain.entries()) {
    const certificate = readCertificate(der);
    if (!certificate.ok) {
      return decline('certificate-unreadable', `certificate ${index + 1}: ${certificate.refusal.rule ?? ''}`);
    }
    const objection = objectionTo(certificate.value, index === 0 ? 'approved issuer' : 'intermediate', policy, now);
    if (objection) return objection;
    authorities.push(certificate.value);
  }
  const [first, ...others] = authorities;
  return first ? accept([first, ...others]) : decline('certificate-unreadable', 'no certificate');
}

type Role = Parameters<typeof judgeAuthority>[1];

function objectionTo(certificate: Certificate, role: Role, policy: PathPolicy, now: EpochSeconds) {
  const failed = judgeAuthority(certificate, role, policy, now).filter(({ passed }) => !passed);
  const subject = printName(certificate.subject);
  // Not being a CA is the most useful answer, whatever else is wrong.
  if (failed.some(({ rule }) => rule === 'authority-is-ca')) return decline('certificate-not-authority', subject);
  const [first] = failed;
  if (!first) return undefined;
  if (first.rule === 'expired') {
    return decline('certificate-expired', `${subject} expired at ${isoTime(certificate.notAfter)}`);
  }
  return decline('certificate-refused', `${subject}: ${first.words}${first.setting ? ` {${first.setting}}` : ''}`);
}
