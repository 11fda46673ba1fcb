import type { CallerName, IdentitySource, Presented } from '../../core/certificate.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import type { AcceptedCertificate, Verdict } from '../../core/verdict.ts';
import type { Directory } from '../../directory/directory.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { CallerPorts, Ports } from '../ports.ts';
import { portsOfRequest } from '../request-ports.ts';
import { type FindDerived, loadDerived, storeDerived } from './derived-identity.ts';
import { endRevoked } from './revoke-grant.ts';

/** What a connection presented, and the request it came with. */
export interface Presentation {
  readonly presented: Presented;
  readonly requestId: string;
}

/** Contract 5.4: from what was presented to the identity of the caller: judge the certificate, then map its name. */
export async function certifyCaller(
  { presented, requestId }: Presentation,
  ports: CallerPorts,
): Promise<Outcome<CertifiedCaller>> {
  const verdict = await judge(presented, ports);
  const { outcome, issuer, mark } = verdict;
  if (!outcome.ok) {
    if (verdict.steps.length > 0) ports.logRefused({ requestId, verdict });
    if (outcome.refusal.reason === 'certificate-revoked' && issuer && mark)
      await endRevoked(issuer, mark, portsOfRequest(ports, requestId));
    return outcome;
  }
  const caller = await identifyCaller(outcome.value, portsOfRequest(ports, requestId));
  if (!caller.ok) ports.logRefused({ requestId, verdict, mapping: caller });
  return caller;
}

/** An issuer that is not approved may have been approved a moment ago. */
async function judge(presented: Presented, { judge, registry }: CallerPorts): Promise<Verdict> {
  const { issuers } = registry;
  const verdict = await judge(presented, issuers);
  if (verdict.outcome.ok || verdict.outcome.refusal.reason !== 'certificate-issuer-not-approved') return verdict;
  const newest = await registry.lookForIssuers();
  return newest === issuers ? verdict : judge(presented, newest);
}

/** Maps an accepted certificate to an identity, as its issuer's settings say. */
export function identifyCaller(
  certificate: AcceptedCertificate,
  ports: MappingPorts,
): Promise<Outcome<CertifiedCaller>> {
  return mapCaller(certificate, ports, storeDerived);
}

/** The same for the dry run: writes nothing. */
export function previewCaller(
  certificate: AcceptedCertificate,
  ports: MappingPorts,
): Promise<Outcome<CertifiedCaller>> {
  return mapCaller(certificate, ports, loadDerived);
}

type MappingPorts = Pick<Ports, 'store' | 'directory'>;

async function mapCaller(
  { issuer, name, mark, thumbprint }: AcceptedCertificate,
  ports: MappingPorts,
  existing: FindDerived,
): Promise<Outcome<CertifiedCaller>> {
  const { identities: kind, label, integrations } = issuer;
  const identity =
    kind === 'derived'
      ? accept(await existing(identityDerivedFrom(label, name), name.source, ports))
      : theOnly(await listed(name, ports));
  return identity.ok ? accept({ identity: identity.value, mark, thumbprint, integrations }) : identity;
}

const LOOKUPS: Readonly<Record<IdentitySource, (directory: Directory, name: string) => Promise<readonly Identity[]>>> =
  {
    'common-name': (directory, name) => directory.byUserName(name),
    'email-san': (directory, name) => directory.byEmail(name),
    'upn-san': (directory, name) => directory.byUpn(name),
  };

function listed({ source, name }: CallerName, { directory }: MappingPorts): Promise<readonly Identity[]> {
  return LOOKUPS[source](directory, name);
}

/** Two matches are refused; we never pick one (CVE-2022-26923). */
function theOnly([identity, ...others]: readonly Identity[]): Outcome<Identity> {
  if (!identity) return refuse('certificate-identity-unknown');
  return others.length > 0 ? refuse('certificate-identity-ambiguous') : accept(identity);
}

/** `LABEL:` + hex of the first 16 bytes of SHA-256(source | 0 | name). */
function identityDerivedFrom(label: string, { source, name }: CallerName): Identity {
  const id = `${label}:${firstHalf(sha256(`${source}\0${name}`))}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name}` };
}
