import type { CallerName, IdentitySource } from '../core/certificate.ts';
import type { Identity, IdentityId } from '../core/identity.ts';
import { accept, type Outcome, refuse } from '../core/outcome.ts';
import type { CertifiedCaller } from '../core/rules/certificate.ts';
import { identities } from '../store/tables/identities.ts';
import { sha256 } from '../tokens/sha256.ts';
import type { AcceptedCertificate, Directory, Ports } from './ports.ts';

/** Spec 5.4: from an accepted certificate to the identity that its issuer's settings map it to. */
export async function identifyCaller(
  { issuer, name, mark }: AcceptedCertificate,
  ports: Ports,
): Promise<Outcome<CertifiedCaller>> {
  const identity =
    issuer.identities === 'derived'
      ? accept(await derivedIdentity(issuer.label, name, ports))
      : await listedIdentity(name, ports);
  if (!identity.ok) return identity;
  return accept({ identity: identity.value, mark, integrations: issuer.integrations });
}

const LOOKUPS: Readonly<Record<IdentitySource, (directory: Directory, name: string) => Promise<readonly Identity[]>>> =
  {
    'common-name': (directory, name) => directory.byUserName(name),
    'email-san': (directory, name) => directory.byEmail(name),
    'upn-san': (directory, name) => directory.byUpn(name),
  };

/** Two matches are a refusal, never a pick (CVE-2022-26923). */
async function listedIdentity({ source, name }: CallerName, { directory }: Ports): Promise<Outcome<Identity>> {
  const [identity, ...others] = await LOOKUPS[source](directory, name);
  if (!identity) return refuse('certificate-identity-unknown');
  return others.length > 0 ? refuse('certificate-identity-ambiguous') : accept(identity);
}

/** `LABEL:` + hex of the first 16 bytes of SHA-256(source | 0 | name). The row is made on first use, so that it can be disabled. */
async function derivedIdentity(label: string, { source, name }: CallerName, { store }: Ports): Promise<Identity> {
  const id = `${label}:${sha256(Buffer.from(`${source}\0${name}`)).toString('hex', 0, 16)}` as IdentityId;
  return store.change(identities, id, (found, now) => {
    if (found) return { outcome: found.row };
    const next: Identity = { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name}` };
    return {
      outcome: next,
      next,
      events: [{ type: 'administered', at: now, identityId: id, detail: { did: 'identity derived', source } }],
    };
  });
}
