// What approving an issuer and changing one share: the draft, and what it must satisfy.
import { readSpiffeId } from '../../core/certificate.ts';
import { isLabel, LOCAL } from '../../core/identity.ts';
import type { ApprovedIssuer, RevocationCheck, RevocationPolicy } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import { isAddressRange } from '../../outbound/address-filter.ts';
import { judgeAuthority } from '../../pki/path/path.ts';
import { ANY_POLICY } from '../../pki/path/policies.ts';
import type { PathPolicy } from '../../pki/path/rules.ts';
import { whyNoListFile } from '../../pki/revocation/list-reader.ts';
import { type Certificate, readCertificate } from '../../pki/x509/certificate.ts';
import { printName } from '../../pki/x509/distinguished-name.ts';
import { rows } from '../../store/pages.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

export interface IssuerDraft extends Omit<ApprovedIssuer, 'certificate' | 'intermediates' | 'enabled' | 'revocation'> {
  /** PEM: the authority's certificate, followed by any intermediates between it and the leaf. */
  readonly pem: string;
  readonly revocation: RevocationDraft;
}

export interface RevocationDraft extends Omit<RevocationPolicy, 'crl' | 'crlFiles'> {
  /** Default: `required` if there are CRL files, else `if-available`. */
  readonly crl?: RevocationCheck;
  readonly crlFiles: readonly CrlFile[];
}

export interface CrlFile {
  /** Absolute: the service may run in another folder. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/** A CRL file that cannot be used would refuse every caller, so it is refused here. */
export function draftedRevocation({ crl, ocsp, crlFiles, ...rest }: RevocationDraft): AdminOutcome<RevocationPolicy> {
  const wrong = rest.allowedAddresses?.find((text) => !isAddressRange(text));
  if (wrong !== undefined) return decline('address-range-malformed', wrong);
  for (const { path, contents } of crlFiles) {
    const why = whyNoListFile(contents);
    if (why !== undefined) return decline('crl-file-unusable', `${path}: ${why}`);
  }
  // A CRL file is configured on purpose, so callers are refused when it is missing or stale.
  const usual = crlFiles.length > 0 ? 'required' : 'if-available';
  return accept({ crl: crl ?? usual, ocsp, crlFiles: crlFiles.map(({ path }) => path), ...rest });
}

/** As an issuer is stored: without empty lists and what has its default. */
export function withoutDefaults(issuer: ApprovedIssuer): ApprovedIssuer {
  const { allowedAddresses = [], ...checks } = issuer.revocation;
  const revocation = { ...checks, ...(allowedAddresses.length > 0 && { allowedAddresses }) };
  const fields = Object.entries({ ...issuer, revocation });
  return Object.fromEntries(fields.filter(([name, value]) => !isDefault(name, value))) as unknown as ApprovedIssuer;
}

const REMOVABLE = ['curves', 'directories', 'integrations', 'trustDomains', 'policies'];

function isDefault(name: string, value: unknown): boolean {
  if (name === 'mlDsa') return value !== true;
  if (name === 'upnComparison') return value === 'exact' || value === undefined;
  return REMOVABLE.includes(name) && !(value as readonly unknown[] | undefined)?.length;
}

const OID = /^[0-2](?:\.(?:0|[1-9]\d*))+$/;

/** Settings that only make sense together, or have a form. */
export function objectionToSettings(
  issuer: Pick<ApprovedIssuer, 'identitySources' | 'identities' | 'directories' | 'trustDomains' | 'policies'>,
) {
  const { identitySources, identities, directories = [], trustDomains = [], policies = [] } = issuer;
  const label = directories.find((name) => name !== LOCAL && !isLabel(name));
  if (label !== undefined) return decline('issuer-setting-malformed', `${label} is not the label of a directory`);
  if (directories.length > 0 && identities === 'derived')
    return decline('issuer-setting-malformed', 'derived identities are looked up in no directory');
  const domain = trustDomains.find((name) => readSpiffeId(`spiffe://${name}`)?.domain !== name);
  if (domain !== undefined) return decline('issuer-setting-malformed', `${domain} is not a trust domain`);
  const policy = policies.find((oid) => !OID.test(oid));
  if (policy !== undefined) return decline('issuer-setting-malformed', `${policy} is not an object identifier`);
  if (policies.includes(ANY_POLICY)) {
    return decline('issuer-setting-malformed', `${ANY_POLICY} is any-policy, which requires nothing: leave it out`);
  }
  if (!identitySources.includes('spiffe-id')) return undefined;
  if (trustDomains.length === 0) return decline('issuer-setting-malformed', 'spiffe-id needs a trust domain');
  if (identities === 'derived') return undefined;
  return decline('issuer-setting-malformed', 'spiffe-id needs derived identities');
}

/** Uses the parser and rules that check callers: an authority that every request would fail on is refused now. */
export function readAuthorities(
  chain: readonly Uint8Array[],
  policy: PathPolicy,
  now: EpochSeconds,
): AdminOutcome<readonly Certificate[]> {
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
  return authorities.length > 0 ? accept(authorities) : decline('certificate-unreadable', 'no certificate');
}

function objectionTo(
  certificate: Certificate,
  role: 'approved issuer' | 'intermediate',
  policy: PathPolicy,
  now: EpochSeconds,
) {
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

/** With one key under two labels, one certificate would have two identities. */
export async function sameKey({ publicKey }: Certificate, label: string, { store }: Pick<AdminPorts, 'store'>) {
  for await (const issuer of rows(store, issuers)) {
    const known = readCertificate(issuer.certificate);
    const isOther = issuer.enabled && issuer.label !== label && known.ok;
    if (isOther && Buffer.compare(known.value.publicKey.spki, publicKey.spki) === 0) return issuer;
  }
  return undefined;
}
