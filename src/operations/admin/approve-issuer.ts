import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { readPem } from '../../pki/der/pem.ts';
import { judgeAuthority } from '../../pki/path/path.ts';
import { type PathPolicy, printTime } from '../../pki/path/rule.ts';
import { type Certificate, readCertificate } from '../../pki/x509/certificate.ts';
import { printName } from '../../pki/x509/distinguished-name.ts';
import { rows } from '../../store/pages.ts';
import type { Decision } from '../../store/store.ts';
import { issuers } from '../../store/tables/registry.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';

export interface IssuerDraft extends Omit<ApprovedIssuer, 'certificate' | 'intermediates' | 'enabled'> {
  /** PEM: the authority's certificate first, further authorities between it and the leaf behind it. */
  readonly pem: string;
}

/** `local` names the built-in directory, so an issuer of that label could mint its identities. */
const LABEL = /^(?!local$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$/i;

/** Contract 5.4: an issuer whose certificates may authorize. It must be an authority (CVE-2025-6037), and is pinned by its key. */
export async function approveIssuer(draft: IssuerDraft, ports: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  const { pem, ...rest } = draft;
  if (!LABEL.test(rest.label)) return decline('label-malformed', rest.label);
  const chain = readAuthorities(pem, rest, await ports.store.now());
  if (!chain.ok) return chain;
  const [authority, ...intermediates] = chain.value;
  if (!authority) return decline('certificate-unreadable', 'no certificate');
  const namesake = await sameKey(authority, rest.label, ports);
  if (namesake) return decline('issuer-key-approved', namesake.label);
  const certificates = { certificate: authority.der, intermediates: intermediates.map(({ der }) => der) };
  return record({ ...rest, ...certificates, enabled: true }, authority.fingerprint, ports);
}

function record(
  next: ApprovedIssuer,
  fingerprint: string,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<ApprovedIssuer>> {
  return store.change(issuers, next.label, (found, at): Decision<ApprovedIssuer, AdminOutcome<ApprovedIssuer>> => {
    if (found?.row.enabled) return { outcome: decline('issuer-exists', next.label) };
    const detail = { issuer: next.label, fingerprint };
    return { outcome: accept(next), next, events: [administered('issuer approved', { at, by, detail })] };
  });
}

/** By the reader and the rules that judge callers: what would be refused with every request is refused now. */
function readAuthorities(pem: string, policy: PathPolicy, now: EpochSeconds): AdminOutcome<readonly Certificate[]> {
  const authorities: Certificate[] = [];
  for (const [index, der] of readPem(pem, 'CERTIFICATE').entries()) {
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
  // That it is no authority at all says more than what else is wrong with it.
  if (failed.some(({ rule }) => rule === 'authority-is-ca')) return decline('certificate-not-authority', subject);
  const [first] = failed;
  if (!first) return undefined;
  if (first.rule === 'expired') {
    return decline('certificate-expired', `${subject} expired at ${printTime(certificate.notAfter)}`);
  }
  return decline('certificate-refused', `${subject}: ${first.words}${first.setting ? ` {${first.setting}}` : ''}`);
}

/** One key under two labels would give one certificate two identities. */
async function sameKey({ publicKey }: Certificate, label: string, { store }: AdminPorts) {
  for await (const issuer of rows(store, issuers)) {
    const known = readCertificate(issuer.certificate);
    const isOther = issuer.enabled && issuer.label !== label && known.ok;
    if (isOther && Buffer.compare(known.value.publicKey.spki, publicKey.spki) === 0) return issuer;
  }
  return undefined;
}
