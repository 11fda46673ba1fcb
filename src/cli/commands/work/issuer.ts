import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { IdentitySource, UpnComparison } from '../../../core/certificate.ts';
import type { ApprovedIssuer, OptionalCurve, RevocationCheck } from '../../../core/issuer.ts';
import { approveIssuer, type IssuerDraft } from '../../../operations/admin/approve-issuer.ts';
import { type ListedIssuer, listedIssuer, listIssuers } from '../../../operations/admin/list-issuers.ts';
import { withdrawIssuer } from '../../../operations/admin/withdraw-issuer.ts';
import { print, printJson, printTable } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace } from '../../terminal/workplace.ts';

export interface AddFlags {
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

export function addIssuer(label: string, file: string, flags: AddFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const draft = draftOf(label, readFileSync(file, 'latin1'), flags);
    const issuer = accepted(await approveIssuer(draft, workplace));
    print(`Approved ${label}: ${listedIssuer(issuer).subject}`);
  });
}

function draftOf(label: string, pem: string, flags: AddFlags): IssuerDraft {
  const { identityFrom, derived, profile, curve = [], upn, onlyIntegration = [] } = flags;
  return {
    label,
    pem,
    identitySources: identityFrom,
    identities: derived ? 'derived' : 'directory',
    profile,
    ...(curve.length > 0 && { curves: curve }),
    ...(upn !== 'exact' && { upnComparison: upn }),
    revocation: revocationOf(flags),
    ...(onlyIntegration.length > 0 && { integrations: onlyIntegration as ApprovedIssuer['integrations'] & {} }),
  };
}

function revocationOf({ crl, ocsp, crlFile = [], allowAddress, keepGrants }: AddFlags): IssuerDraft['revocation'] {
  return {
    ...(crl && { crl }),
    ocsp,
    crlFiles: crlFile.map((path) => ({ path: resolve(path), contents: readFileSync(path) })),
    ...(allowAddress && { allowedAddresses: allowAddress }),
    endGrants: !keepGrants,
  };
}

export interface ListFlags {
  readonly all?: true;
  readonly json?: true;
}

export function printIssuers({ json, ...filter }: ListFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const found = await listIssuers(filter, workplace);
    if (json) return printJson(found);
    printTable(['label', 'approved', 'expires', 'profile', 'identity from', 'authority'], found.map(rowOf));
  });
}

function rowOf({ label, subject, expires, profile, identitySources, identities, enabled }: ListedIssuer) {
  const identityFrom = `${identitySources.join(', ')} (${identities})`;
  return [label, enabled ? 'yes' : 'removed', expires, profile, identityFrom, subject];
}

export function removeIssuer(label: string, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    accepted(await withdrawIssuer(label, workplace));
    print(`The issuer ${label} is no longer approved`);
  });
}
