import type { CallerName, IdentitySource } from '../../core/certificate.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import type { Directory } from '../../directory/directory.ts';
import { identities } from '../../store/tables/identities.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { AcceptedCertificate, Ports } from '../ports.ts';

/** Contract 5.4: from an accepted certificate to the identity that its issuer's settings map it to. */
export async function identifyCaller(
  { issuer, name, mark }: AcceptedCertificate,
  ports: Ports,
): Promise<Outcome<CertifiedCaller>> {
  const { identities: kind, label, integrations } = issuer;
  const identity =
    kind === 'derived' ? accept(await derivedIdentity(label, name, ports)) : theOnly(await listed(name, ports));
  return identity.ok ? accept({ identity: identity.value, mark, integrations }) : identity;
}

/** Who would be calling, for the dry run: the same answer, and nothing is written. */
export async function foreseeCaller(
  { issuer, name, mark }: AcceptedCertificate,
  ports: Pick<Ports, 'store' | 'directory'>,
): Promise<Outcome<CertifiedCaller>> {
  const { label, integrations } = issuer;
  if (issuer.identities === 'directory') {
    const identity = theOnly(await listed(name, ports));
    return identity.ok ? accept({ identity: identity.value, mark, integrations }) : identity;
  }
  const derived = identityDerivedFrom(label, name);
  const { found } = await ports.store.load(identities, derived.id);
  return accept({ identity: found?.row ?? derived, mark, integrations });
}

const LOOKUPS: Readonly<Record<IdentitySource, (directory: Directory, name: string) => Promise<readonly Identity[]>>> =
  {
    'common-name': (directory, name) => directory.byUserName(name),
    'email-san': (directory, name) => directory.byEmail(name),
    'upn-san': (directory, name) => directory.byUpn(name),
  };

function listed({ source, name }: CallerName, { directory }: Pick<Ports, 'directory'>): Promise<readonly Identity[]> {
  return LOOKUPS[source](directory, name);
}

/** Two matches are a refusal, never a pick (CVE-2022-26923). */
function theOnly([identity, ...others]: readonly Identity[]): Outcome<Identity> {
  if (!identity) return refuse('certificate-identity-unknown');
  return others.length > 0 ? refuse('certificate-identity-ambiguous') : accept(identity);
}

/** The row is made on first use, so that it can be disabled. */
async function derivedIdentity(label: string, name: CallerName, { store }: Ports): Promise<Identity> {
  const derived = identityDerivedFrom(label, name);
  return store.change(identities, derived.id, (found, now) => {
    if (found) return { outcome: found.row };
    const detail = { did: 'identity derived', source: name.source };
    return {
      outcome: derived,
      next: derived,
      events: [{ type: 'administered', at: now, identityId: derived.id, detail }],
    };
  });
}

/** `LABEL:` + hex of the first 16 bytes of SHA-256(source | 0 | name). */
function identityDerivedFrom(label: string, { source, name }: CallerName): Identity {
  const id = `${label}:${firstHalf(sha256(`${source}\0${name}`))}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name}` };
}
