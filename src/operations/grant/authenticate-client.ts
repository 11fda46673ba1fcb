import type { ClientUrl } from '../../core/client-document.ts';
import { guestOf } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import { type ClientProof, checkClient, clientIssuer, decideClient, liveSecrets } from '../../core/rules/client.ts';
import { rangeMatcher } from '../../outbound/address-filter.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { readAccessToken } from '../../tokens/access-token.ts';
import { parseCode, parseRefreshToken } from '../../tokens/opaque/token-text.ts';
import { isResourceServerSecret } from '../../tokens/resource-server-secret.ts';
import type { AssertionPorts, Ports } from '../ports.ts';
import { judged, useOnce } from './authorize-assertion.ts';
import { createGrant, type GrantRequest, namedResourceServers } from './issue-grant.ts';
import { integrationIdentity, storeDerived } from './seen-identity.ts';
import type { TokenPair } from './token-pair.ts';

export type SentProof =
  | { readonly by: 'assertion'; readonly assertion: string }
  | { readonly by: 'secret'; readonly secret: string };

export interface ClientRequest {
  readonly clientId: string;
  readonly sent: SentProof;
  readonly presenter: Presenter;
  readonly requestId: string;
}

export interface AuthenticatedClient {
  readonly integration: Integration;
  readonly proof: ClientProof;
}

/** An assertion is accepted once, whatever becomes of the request: clients sign a new one for each. */
export async function authenticateClient(
  request: ClientRequest,
  ports: AssertionPorts,
): Promise<Outcome<AuthenticatedClient>> {
  const integration = checkClient(await ports.registry.findIntegration(request.clientId));
  if (!integration.ok) return integration;
  if (request.sent.by === 'secret') return bySecret(request.sent.secret, integration.value, request, ports);
  const issuer = clientIssuer(integration.value);
  if (!issuer) return refuse('client-unproven');
  const accepted = judged(await ports.judgeAssertion(request.sent.assertion, [issuer]), request.requestId, ports);
  if (!accepted.ok) return accepted;
  const client = { integration: integration.value, proof: 'key' } as const;
  return useOnce(accepted.value, ports, () => ({ outcome: accept(client) }));
}

export interface GuestRequest {
  readonly url: ClientUrl;
  /** That of the integration whose guest it is. */
  readonly clientId: string;
  readonly sent: SentProof;
  /** The code or token of the request. */
  readonly credential: string | undefined;
  readonly requestId: string;
}

/** The same for a guest. Without a credential of its own nobody has signed in for it, so nothing is fetched: the credential is refused anyway. */
export async function authenticateGuest(
  request: GuestRequest,
  ports: AssertionPorts,
): Promise<Outcome<AuthenticatedClient | undefined>> {
  const integration = checkClient(await ports.registry.findIntegration(request.clientId));
  if (!integration.ok) return integration;
  const { url, sent, credential = '', requestId } = request;
  if (sent.by !== 'assertion') return refuse('client-unproven');
  const by = await whoSignedIn(credential, request, ports);
  if (by === undefined) return accept(undefined);
  const verdict = await ports.judgeGuest(sent.assertion, { url, integration: integration.value }, by);
  const accepted = verdict.ok ? judged(verdict.value, requestId, ports) : verdict;
  if (!accepted.ok) return accepted;
  const client = { integration: integration.value, proof: 'key' } as const;
  return useOnce(accepted.value, ports, () => ({ outcome: accept(client) }));
}

/** Whose fetch it is: who confirmed the code, or has the grant. A code does not say which guest it is for; a person may have any document fetched. */
async function whoSignedIn(
  credential: string,
  { url, clientId }: GuestRequest,
  ports: Ports,
): Promise<IdentityId | undefined> {
  const code = parseCode('authorization', credential, ports.keyring);
  if (code) {
    const { row } = (await ports.store.load(devices, code.deviceId)).found ?? {};
    return row?.clientId === clientId && 'by' in row.decision ? row.decision.by : undefined;
  }
  const token = parseRefreshToken(credential, ports.keyring) ?? readAccessToken(credential, ports);
  const { row } = (token && (await ports.store.load(grants, token.grantId)).found) ?? {};
  return row && guestOf(row) === url && !row.revoked ? row.identityId : undefined;
}

function bySecret(
  secret: string,
  integration: Integration,
  { presenter }: ClientRequest,
  { clock }: AssertionPorts,
): Outcome<AuthenticatedClient> {
  const hashes = liveSecrets(integration, clock.now()).map(({ hash }) => hash);
  if (!isResourceServerSecret(secret, hashes)) return refuse('client-unproven');
  const { secretAddresses: ranges = [] } = integration;
  if (ranges.length > 0 && !rangeMatcher(ranges)(presenter.address)) return refuse('client-unproven');
  return accept({ integration, proof: 'secret' });
}

interface ClientGrantRequest extends GrantRequest {
  readonly client: AuthenticatedClient;
}

/** RFC 6749 4.4: a grant of the integration itself, which has authenticated. */
export async function authorizeClient(request: ClientGrantRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const { client, presenter, resource, overCap, jkt } = request;
  const { integration, proof } = client;
  const identity = await storeDerived(integrationIdentity(integration), 'client', ports);
  const target = decideClient(integration, identity, request, await namedResourceServers(resource, ports));
  if (!target.ok) return target;
  const limited = overCap?.('grants', identity.id);
  if (limited) return refused(limited);
  const origin = { kind: 'client', proof } as const;
  const draft = { integration, identity, target: target.value, origin, presenter, jkt };
  return createGrant({ ...draft, refresh: 'if-set-by-integration' }, ports);
}
