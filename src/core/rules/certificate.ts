// Authorization by client certificate: every check in its order (contract 5.4, docs/spec-gaps.md).
import type { CertificateMark } from '../certificate.ts';
import type { Identity } from '../identity.ts';
import type { ClientId, Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { Scope } from '../scope.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedScope, type WantedScope } from './scope.ts';

/** A caller whose certificate was accepted and mapped to an identity. */
export interface CertifiedCaller {
  readonly identity: Identity;
  readonly mark: CertificateMark;
  /** Where given, the only integrations that the issuer may serve. */
  readonly integrations?: readonly ClientId[] | undefined;
}

export interface CertificateFacts {
  readonly clientId: string | undefined;
  readonly caller: Outcome<CertifiedCaller>;
  readonly integration: Integration | undefined;
  readonly scope: WantedScope;
}

export interface CertificateGrant {
  readonly caller: CertifiedCaller;
  readonly integration: Integration;
  readonly scope: Scope;
}

export function decideCertificate({
  clientId,
  caller,
  integration,
  scope,
}: CertificateFacts): Outcome<CertificateGrant> {
  if (!clientId) return refuse('client-id-missing');
  if (!caller.ok) return caller;
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  if (!integration.flows.certificate) return refuse('certificate-flow-disabled');
  const wanted = requestedScope(scope, integration);
  if (!wanted.ok) return wanted;
  const { identity, integrations } = caller.value;
  if (integrations && !integrations.includes(integration.clientId)) return refuse('issuer-not-for-integration');
  const objection = whyNotAllowed(identity, integration);
  if (objection) return refuse(objection);
  return accept({ caller: caller.value, integration, scope: wanted.value });
}
