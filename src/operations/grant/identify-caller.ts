import { type IdentitySource, isPresented, type Presented } from '../../core/certificate.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import { escapeText } from '../../core/quote.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import type { AcceptedCertificate, Step, Verdict } from '../../core/verdict.ts';
import { type CallerPorts, type Ports, portsOfRequest } from '../ports.ts';
import { endRevoked } from './end-all.ts';
import { derivedIdentity, findNamed, storeDerived } from './seen-identity.ts';

export interface Presentation {
  readonly presented: Presented;
  readonly requestId: string;
}

/** Contract 5.4: from what was presented to the identity of the caller: judge the certificate, then map its name. */
export async function certifyCaller(
  { presented, requestId }: Presentation,
  ports: CallerPorts,
): Promise<Outcome<CertifiedCaller>> {
  if (presented.by === 'handshake' && presented.hasIgnoredHeader) ports.countIgnoredHeader();
  if (!isPresented(presented)) return refuse('certificate-missing');
  ports.admitClock();
  const verdict = await judge(presented, ports);
  const { outcome, steps, issuer, mark, claimed } = verdict;
  if (!outcome.ok) {
    if (steps.length > 0) ports.logRefused(requestId, verdict);
    if (outcome.refusal.reason === 'certificate-revoked' && issuer && mark)
      await endRevoked(issuer, mark, portsOfRequest(ports, requestId));
    return refused({ ...outcome.refusal, claimed });
  }
  const caller = await mapCaller(outcome.value, portsOfRequest(ports, requestId));
  if (caller.ok) return caller;
  ports.logRefused(requestId, { ...verdict, steps: [...steps, mappingStep(outcome.value, caller)] });
  return refused({ ...caller.refusal, claimed });
}

/** An issuer that is not approved may have been approved a moment ago. */
async function judge(presented: Presented, { judge, registry }: CallerPorts): Promise<Verdict> {
  const { issuers } = registry;
  const verdict = await judge(presented, issuers, registry.allIssuers);
  if (verdict.outcome.ok || verdict.outcome.refusal.reason !== 'certificate-issuer-not-approved') return verdict;
  const newest = await registry.lookForIssuers();
  return newest === issuers ? verdict : judge(presented, newest, registry.allIssuers);
}

/** Maps an accepted certificate to an identity, as its issuer's settings say. */
export async function mapCaller(
  { issuer, name: { source, name }, mark, thumbprint }: AcceptedCertificate,
  ports: Pick<Ports, 'store' | 'directories'>,
): Promise<Outcome<CertifiedCaller>> {
  const { identities: kind, label, directories, integrations } = issuer;
  const identity =
    kind === 'derived'
      ? accept(await storeDerived(derivedIdentity(label, `${source}\0${name}`, name), source, ports))
      : await findNamed({ by: LOOKUPS[source], name, directories, of: 'certificate' }, ports);
  return identity.ok ? accept({ identity: identity.value, mark, thumbprint, integrations, issuer: label }) : identity;
}

/** SPIFFE IDs are derived only: no user name has their form. */
const LOOKUPS = {
  'common-name': 'byUserName',
  'email-san': 'byEmail',
  'upn-san': 'byUpn',
  'spiffe-id': 'byUserName',
} as const satisfies Readonly<Record<IdentitySource, string>>;

/** The last step of a verdict, worded like the others: the identity that the name belongs to. */
export function mappingStep({ issuer, name }: AcceptedCertificate, caller: Outcome<CertifiedCaller>): Step {
  const { directories } = issuer;
  const where = directories ? `the directories ${directories.join(', ')}` : 'the directory';
  const demand =
    issuer.identities === 'directory'
      ? `exactly one identity in ${where} has this name`
      : 'the identity is derived from the name';
  return {
    rule: 'identity-mapped',
    passed: caller.ok,
    about: `${name.source} ${escapeText(name.name)}`,
    words: `${demand}: ${caller.ok ? escapeText(caller.value.identity.id) : caller.refusal.reason}`,
    setting: `identities: ${issuer.identities}`,
    reason: caller.ok ? 'certificate-identity-unknown' : caller.refusal.reason,
  };
}
