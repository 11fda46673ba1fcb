// Which resource server asks: proven by a secret, or by the one identity that speaks for it.
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isForIssuerOnly } from '../../core/rules/audience.ts';
import { serverOfCertificate } from '../../core/rules/certificate.ts';
import { spokenForBy } from '../../core/rules/identity.ts';
import { parseScope } from '../../core/scope.ts';
import { thumbprintText } from '../../tokens/jwt/claims.ts';
import { isResourceServerSecret } from '../../tokens/resource-server-secret.ts';
import type { CallerPorts } from '../ports.ts';
import { type CheckedToken, checkToken } from './check-token.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';

export type ResourceServerProof =
  | { readonly by: 'secret'; readonly id: string; readonly secret: string }
  | (Presentation & { readonly by: 'access-token'; readonly id: string | undefined; readonly accessToken: string })
  | (Presentation & { readonly by: 'certificate'; readonly id: string | undefined });

type ProofBy<How> = Extract<ResourceServerProof, { readonly by: How }>;

/** `overLimit` is charged for failed attempts. */
export async function identifyResourceServer(
  proof: ResourceServerProof,
  ports: CallerPorts,
  overLimit: () => Refusal | undefined,
): Promise<Outcome<ResourceServer>> {
  const proven = await prove(proof, ports.registry.resourceServers, ports);
  if (proven.ok) return proven;
  const limited = overLimit();
  if (limited) return refused(limited);
  if (proven.refusal.reason !== 'resource-server-unproven') return proven;
  // It may have been registered, or given a secret, a moment ago.
  return prove(proof, await ports.registry.lookForResourceServers(), ports);
}

async function prove(proof: ResourceServerProof, known: readonly ResourceServer[], ports: CallerPorts) {
  if (proof.by === 'certificate') {
    const caller = await certifyCaller(proof, ports);
    return caller.ok ? provenAs(serverOfCertificate(caller.value, proof.id, known)) : caller;
  }
  return provenAs(proof.by === 'secret' ? bySecret(proof, known) : await byAccessToken(proof, known, ports));
}

function provenAs(server: ResourceServer | undefined): Outcome<ResourceServer> {
  return server ? accept(server) : refuse('resource-server-unproven');
}

function bySecret({ id, secret }: ProofBy<'secret'>, known: readonly ResourceServer[]): ResourceServer | undefined {
  const server = known.find((each) => each.enabled && each.id === id);
  const hashes = server?.secrets.map(({ hash }) => hash) ?? [];
  return isResourceServerSecret(secret, hashes) ? server : undefined;
}

async function byAccessToken(
  { id, accessToken, ...presentation }: ProofBy<'access-token'>,
  known: readonly ResourceServer[],
  ports: CallerPorts,
): Promise<ResourceServer | undefined> {
  const checked = await checkToken(accessToken, ports);
  const isProof =
    checked.ok && isForUs(checked.value, ports) && (await isPresentedRightly(checked.value, presentation, ports));
  return isProof ? spokenForBy(checked.value.holder, id, known) : undefined;
}

/** A token for a resource server is in the hands of that resource server too. The scope of the grant counts: the integration may have been narrowed since. */
export function isForUs({ grant, token }: CheckedToken, { registry, issuer }: CallerPorts): boolean {
  const scope = parseScope(grant.scope);
  const audience = token.audience ?? grant.resource;
  return scope !== undefined && isForIssuerOnly(scope, audience, registry.allResourceServers, issuer);
}

/**
 * RFC 8705 3: a token that is bound to a certificate comes with that certificate. No proof of a key is taken here, and an exchanged
 * token is not of its holder alone.
 */
export async function isPresentedRightly(
  { boundTo, jkt, grant }: CheckedToken,
  presentation: Presentation,
  ports: CallerPorts,
): Promise<boolean> {
  if (jkt !== undefined || grant.terms?.parent) return false;
  if (boundTo === undefined) return true;
  const caller = await certifyCaller(presentation, ports);
  return caller.ok && thumbprintText(caller.value.thumbprint) === boundTo;
}
