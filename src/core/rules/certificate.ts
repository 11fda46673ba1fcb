// Authorization by client certificate: every check in its order (contract 5.4, docs/spec-gaps.md).
import type { CertificateMark } from '../certificate.ts';
import type { Hex } from '../hex.ts';
import type { Identity } from '../identity.ts';
import type { ClientId, Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import type { Target } from './audience.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** A caller whose certificate was accepted and mapped to an identity. */
export interface CertifiedCaller {
  readonly identity: Identity;
  readonly mark: CertificateMark;
  /** SHA-256 of the certificate, as DER. */
  readonly thumbprint: Hex;
  /** Where given, the only integrations that the issuer may serve. */
  readonly integrations?: readonly ClientId[] | undefined;
}

export interface CertificateFacts extends WantedTarget {
  readonly clientId: string | undefined;
  readonly caller: Outcome<CertifiedCaller>;
  readonly integration: Integration | undefined;
  readonly resourceServers: readonly ResourceServer[];
}

export interface CertificateGrant extends Target {
  readonly caller: CertifiedCaller;
  readonly integration: Integration;
}

export function decideCertificate(facts: CertificateFacts): Outcome<CertificateGrant> {
  const { clientId, caller, integration, resourceServers } = facts;
  if (!clientId) return refuse('client-id-missing');
  if (!caller.ok) return caller;
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  if (!integration.flows.certificate) return refuse('certificate-flow-disabled');
  const target = requestedTarget(facts, integration, resourceServers);
  if (!target.ok) return target;
  const { identity, integrations } = caller.value;
  if (integrations && !integrations.includes(integration.clientId)) return refuse('issuer-not-for-integration');
  const objection = whyNotAllowed(identity, integration);
  if (objection) return refuse(objection);
  return accept({ caller: caller.value, integration, ...target.value });
}
