// Authorization by client certificate: every check in its order (contract 5.4, docs/spec-gaps.md).
import type { CertificateMark } from '../certificate.ts';
import type { Hex } from '../hex.ts';
import type { Identity } from '../identity.ts';
import type { ClientId, Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import type { Target } from './audience.ts';
import { withFlow } from './client.ts';
import { spokenForBy, whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** A caller whose certificate was accepted and mapped to an identity. */
export interface CertifiedCaller {
  readonly identity: Identity;
  readonly mark: CertificateMark;
  /** SHA-256 of the certificate, as DER. */
  readonly thumbprint: Hex;
  /** The label of its issuer. */
  readonly issuer?: string;
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
  const open = withFlow(integration, 'certificate');
  if (!open.ok) return open;
  const target = requestedTarget(facts, open.value, resourceServers);
  if (!target.ok) return target;
  const served = servedCaller(caller.value, open.value.clientId);
  if (!served.ok) return served;
  const objection = whyNotAllowed(caller.value.identity, open.value);
  if (objection) return refuse(objection);
  return accept({ caller: caller.value, integration: open.value, ...target.value });
}

/** For a caller that exchanges the token of another: any certificate could name this integration, only one speaks for its API. */
export function decideCertificateCaller(
  caller: CertifiedCaller,
  integration: Integration | undefined,
  resourceServers: readonly ResourceServer[],
): Outcome<Integration> {
  const open = withFlow(integration, 'certificate');
  if (!open.ok) return open;
  if (open.value.confidential) return refuse('client-authentication-required');
  const server = serverOfCertificate(caller, open.value.resourceServer, resourceServers);
  return server ? open : refuse('exchange-not-allowed');
}

/** The resource server that a certificate speaks for. An issuer that is limited to some integrations serves nothing else. */
export function serverOfCertificate(
  { identity, integrations }: CertifiedCaller,
  id: string | undefined,
  resourceServers: readonly ResourceServer[],
): ResourceServer | undefined {
  return integrations ? undefined : spokenForBy(identity, id, resourceServers);
}

/** Whether its issuer may serve this integration, and it is enabled: for a token, and for an operator who signs in to the console. */
export function servedCaller(caller: CertifiedCaller, clientId: ClientId): Outcome<CertifiedCaller> {
  const { identity, integrations } = caller;
  if (integrations && !integrations.includes(clientId)) return refuse('issuer-not-for-integration');
  return identity.enabled ? accept(caller) : refuse('identity-disabled');
}
