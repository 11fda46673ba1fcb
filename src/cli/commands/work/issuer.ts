import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IdentitySource, UpnComparison } from '../../../core/certificate.ts';
import type { ClientId } from '../../../core/integration.ts';
import type { ApprovedIssuer, OptionalCurve, RevocationCheck } from '../../../core/issuer.ts';
import { approveIssuer } from '../../../operations/admin/approve-issuer.ts';
import { changeIssuer, type IssuerChange, withdrawIssuer } from '../../../operations/admin/change-issuer.ts';
import type { IssuerDraft } from '../../../operations/admin/issuer-draft.ts';
import { findIssuer, type ListedIssuer, listedIssuer, listIssuers } from '../../../operations/admin/list-issuers.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { print, printJson, printRecord, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export interface AddFlags {
  readonly identityFrom: readonly IdentitySource[];
  readonly derived?: true;
  readonly directory?: readonly string[];
  readonly profile: ApprovedIssuer['profile'];
  readonly curve?: readonly OptionalCurve[];
  readonly mlDsa?: true;
  readonly trustDomain?: readonly string[];
  readonly policy?: readonly string[];
  readonly upn: UpnComparison;
  readonly crl?: RevocationCheck;
  readonly ocsp: RevocationCheck;
  readonly crlFile?: readonly string[];
  readonly allowAddress?: readonly string[];
  readonly keepGrants?: true;
  readonly onlyIntegration?: readonly string[];
}

export async function addIssuer(label: string, file: string, flags: AddFlags, workplace: Workplace): Promise<void> {
  const draft = draftOf(label, readFileSync(file, 'latin1'), flags);
  const issuer = accepted(await approveIssuer(draft, workplace));
  print(`Approved ${label}: ${listedIssuer(issuer).subject}`);
  result(listedIssuer(issuer));
}

/** What is absent stays; `false` with --no-…, which removes a list. */
export interface ChangeFlags {
  readonly certificate?: string;
  readonly identityFrom?: readonly IdentitySource[];
  readonly derived?: boolean;
  readonly directory?: readonly string[] | false;
  readonly profile?: ApprovedIssuer['profile'];
  readonly curve?: readonly OptionalCurve[] | false;
  readonly mlDsa?: boolean;
  readonly trustDomain?: readonly string[] | false;
  readonly policy?: readonly string[] | false;
  readonly upn?: UpnComparison;
  readonly crl?: RevocationCheck;
  readonly ocsp?: RevocationCheck;
  readonly crlFile?: readonly string[] | false;
  readonly allowAddress?: readonly string[] | false;
  readonly keepGrants?: boolean;
  readonly onlyIntegration?: readonly string[] | false;
}

export async function changeOne(label: string, flags: ChangeFlags, workplace: Workplace): Promise<void> {
  const change = changeOf(flags);
  if (Object.keys(change).length === 1 && Object.keys(change.revocation).length === 0)
    throw new CommandFailure('usage', 'say what to change', 'See: tessera issuer change --help');
  const issuer = accepted(await changeIssuer(label, change, workplace));
  print(`Changed ${label}`);
  result(listedIssuer(issuer));
}

function changeOf(flags: ChangeFlags): IssuerChange {
  const { certificate, identityFrom, derived, profile, curve, mlDsa, trustDomain, policy, upn, onlyIntegration } =
    flags;
  const { crl, ocsp, crlFile, allowAddress, keepGrants, directory } = flags;
  return {
    ...(certificate !== undefined && { pem: readFileSync(certificate, 'latin1') }),
    ...(identityFrom && { identitySources: identityFrom }),
    ...(derived !== undefined && { identities: derived ? 'derived' : 'directory' }),
    ...(directory !== undefined && { directories: directory || [] }),
    ...(profile && { profile }),
    ...(curve !== undefined && { curves: curve || [] }),
    ...(mlDsa !== undefined && { mlDsa }),
    ...(trustDomain !== undefined && { trustDomains: trustDomain || [] }),
    ...(policy !== undefined && { policies: policy || [] }),
    ...(upn && { upnComparison: upn }),
    ...(onlyIntegration !== undefined && { integrations: (onlyIntegration || []) as ClientId[] }),
    revocation: {
      ...(crl && { crl }),
      ...(ocsp && { ocsp }),
      ...(crlFile !== undefined && { crlFiles: readLists(crlFile || []) }),
      ...(allowAddress !== undefined && { allowedAddresses: allowAddress || [] }),
      ...(keepGrants !== undefined && { endGrants: !keepGrants }),
    },
  };
}

function readLists(paths: readonly string[]) {
  return paths.map((path) => ({ path: resolve(path), contents: readFileSync(path) }));
}

function draftOf(label: string, pem: string, flags: AddFlags): IssuerDraft {
  const { identityFrom, derived, directory, profile, curve = [], mlDsa, trustDomain, policy, upn } = flags;
  const { onlyIntegration = [] } = flags;
  return {
    label,
    pem,
    identitySources: identityFrom,
    identities: derived ? 'derived' : 'directory',
    ...(directory && { directories: directory }),
    profile,
    ...(curve.length > 0 && { curves: curve }),
    ...(mlDsa && { mlDsa }),
    ...(trustDomain && { trustDomains: trustDomain }),
    ...(policy && { policies: policy }),
    ...(upn !== 'exact' && { upnComparison: upn }),
    revocation: revocationOf(flags),
    ...(onlyIntegration.length > 0 && { integrations: onlyIntegration as ApprovedIssuer['integrations'] & {} }),
  };
}

function revocationOf({ crl, ocsp, crlFile = [], allowAddress, keepGrants }: AddFlags): IssuerDraft['revocation'] {
  return {
    ...(crl && { crl }),
    ocsp,
    crlFiles: readLists(crlFile),
    ...(allowAddress && { allowedAddresses: allowAddress }),
    endGrants: !keepGrants,
  };
}

export interface ListFlags {
  readonly all?: true;
  readonly json?: true;
}

export async function printIssuers({ json, ...filter }: ListFlags, workplace: Workplace): Promise<void> {
  const found = await listIssuers(filter, workplace);
  if (json) return printJson(found);
  printTable(['label', 'approved', 'expires', 'profile', 'revocation', 'identity from', 'authority'], found.map(rowOf));
}

function rowOf({ label, subject, expires, profile, identitySources, identities, enabled, revocation }: ListedIssuer) {
  const identityFrom = `${identitySources.join(', ')} (${identities})`;
  const checks = `crl ${revocation.crl}, ocsp ${revocation.ocsp}`;
  return [label, enabled ? 'yes' : 'removed', expires, profile, checks, identityFrom, subject];
}

export async function printIssuer(label: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const issuer = accepted(await findIssuer(label, workplace));
  if (json) printJson(issuer);
  else printRecord(recordOf(issuer));
}

function recordOf({ revocation, ...issuer }: ListedIssuer) {
  return {
    label: issuer.label,
    approved: issuer.enabled ? 'yes' : 'removed',
    authority: issuer.subject,
    expires: issuer.expires,
    fingerprint: issuer.fingerprint,
    intermediates: issuer.intermediates,
    profile: issuer.profile,
    curves: issuer.curves?.join(' ') ?? '',
    'ML-DSA': issuer.mlDsa ? 'yes' : 'no',
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
    'revocation ends grants': revocation.endGrants ? 'yes' : 'no',
    'only integrations': issuer.integrations?.join(' ') ?? '',
  };
}

export async function removeIssuer(label: string, _: unknown, workplace: Workplace): Promise<void> {
  accepted(await withdrawIssuer(label, workplace));
  print(`The issuer ${label} is no longer approved`);
  result({ label, enabled: false });
}
