import { X509Certificate } from 'node:crypto';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { issuers } from '../../store/tables/registry.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { everyRow } from './every-row.ts';

export interface IssuerDraft extends Omit<ApprovedIssuer, 'certificate' | 'intermediates' | 'enabled'> {
  /** PEM: the authority's certificate first, further authorities between it and the leaf behind it. */
  readonly pem: string;
}

/** `local` names the built-in directory, so an issuer of that label could mint its identities. */
const LABEL = /^(?!local$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$/i;

/** Spec 5.4: an issuer whose certificates may authorize. It must be an authority (CVE-2025-6037), and is pinned by its key. */
export async function approveIssuer(draft: IssuerDraft, ports: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  const { pem, ...rest } = draft;
  if (!LABEL.test(rest.label)) return decline('label-malformed', rest.label);
  const chain = readAuthorities(pem, await ports.store.now());
  if (!chain.ok) return chain;
  const [authority, ...intermediates] = chain.value;
  if (!authority) return decline('certificate-unreadable', rest.label);
  const namesake = await sameKey(authority, rest.label, ports);
  if (namesake) return decline('issuer-key-approved', namesake.label);
  return record(
    { ...rest, certificate: authority.raw, intermediates: intermediates.map(({ raw }) => raw), enabled: true },
    ports,
  );
}

function record(next: ApprovedIssuer, { store, by }: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  return store.change(issuers, next.label, (found, at): Decision<ApprovedIssuer, AdminOutcome<ApprovedIssuer>> => {
    if (found?.row.enabled) return { outcome: decline('issuer-exists', next.label) };
    const detail = { issuer: next.label, fingerprint: new X509Certificate(next.certificate).fingerprint256 };
    return { outcome: accept(next), next, events: [administered('issuer approved', { at, by, detail })] };
  });
}

function readAuthorities(pem: string, now: number): AdminOutcome<readonly X509Certificate[]> {
  const certificates: X509Certificate[] = [];
  for (const [index, block] of (
    pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  ).entries()) {
    const certificate = parse(block);
    if (!certificate) return decline('certificate-unreadable', `certificate ${index + 1}`);
    if (!certificate.ca) return decline('certificate-not-authority', certificate.subject.replaceAll('\n', ', '));
    if (Date.parse(certificate.validTo) / 1000 < now) return decline('certificate-expired', certificate.validTo);
    certificates.push(certificate);
  }
  return certificates.length > 0 ? accept(certificates) : decline('certificate-unreadable', 'no certificate');
}

function parse(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** One key under two labels would give one certificate two identities. */
async function sameKey({ publicKey }: X509Certificate, label: string, { store }: AdminPorts) {
  for await (const issuer of everyRow(store, issuers)) {
    const isOther = issuer.enabled && issuer.label !== label;
    if (isOther && new X509Certificate(issuer.certificate).publicKey.equals(publicKey)) return issuer;
  }
  return undefined;
}
