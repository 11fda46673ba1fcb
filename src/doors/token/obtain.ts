// How token doors call the operations that give out tokens, with their rate limits.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap } from '../../core/refusal.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import type { TokenRequest } from '../../core/rules/token-request.ts';
import { type CodeRedemption, redeemCode } from '../../operations/device/redeem-code.ts';
import { type RedeemRequest, redeemDevice } from '../../operations/device/redeem-device.ts';
import { type StartedDevice, startDevice } from '../../operations/device/start-device.ts';
import { type AssertionRequest, authorizeAssertion } from '../../operations/grant/authorize-assertion.ts';
import { authorizeCertificate, type CertificateRequest } from '../../operations/grant/authorize-certificate.ts';
import { authorizeClient, type ClientGrantRequest } from '../../operations/grant/authorize-client.ts';
import { type ExchangeRequest, exchangeToken } from '../../operations/grant/exchange-token.ts';
import type { Presentation } from '../../operations/grant/identify-caller.ts';
import { type RefreshRequest, refreshTokens } from '../../operations/grant/refresh-tokens.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { portsOfRequest } from '../../operations/request-ports.ts';
import { storyOf } from '../http/story.ts';
import type { TokenMount } from './mount.ts';
import { recordIntegration } from './request-story.ts';

/** What doors do differently. */
type PairOptions = Pick<RedeemRequest, 'slowsDown'> & Pick<RefreshRequest, 'guest' | 'scope' | 'resource' | 'proven'>;

/** Redeems or refreshes. */
export function obtainPair(
  asked: TokenRequest,
  request: FastifyRequest,
  mount: TokenMount,
  options: PairOptions = {},
): Promise<Outcome<TokenPair>> {
  const caller = callerOf(asked.clientId, request, mount);
  storyOf(request).operation = asked.kind;
  if (asked.kind === 'redeem')
    return redeemDevice({ ...asked, ...options, ...caller }, portsOfRequest(mount.ports, request.id));
  const presented = mount.readPresented(request);
  return refreshTokens({ ...asked, ...options, ...caller, presented, requestId: request.id }, mount.ports);
}

/** Redeems an authorization code. */
export function obtainByCode(
  asked: Omit<CodeRedemption, keyof ReturnType<typeof callerOf>>,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenPair>> {
  storyOf(request).operation = 'redeem-code';
  const ports = portsOfRequest(mount.ports, request.id);
  return redeemCode({ ...asked, ...callerOf(asked.clientId, request, mount) }, ports);
}

/** The limits are charged for authentic credentials only. */
function callerOf(clientId: string, request: FastifyRequest, mount: TokenMount) {
  const byAddress = mount.overLimit(request);
  return {
    presenter: mount.readConnection(request).presenter,
    overLimit: () => byAddress ?? mount.overIntegrationLimit(clientId, 'grants'),
    overCap: mount.capsFor(clientId),
  };
}

export interface ScopeRequest extends WantedTarget {
  readonly clientId: string | undefined;
  /** Whether the integration has authenticated. Undefined at a door where none can. */
  readonly isAuthenticated?: boolean;
  readonly presenter: Presenter;
}

/** A request for a scope, from a caller within its limits. */
export function scopeRequest(
  asked: Omit<ScopeRequest, 'presenter'>,
  request: FastifyRequest,
  mount: TokenMount,
): Outcome<ScopeRequest> {
  recordIntegration(request, asked.clientId, mount.ports);
  const limited = mount.overLimit(request);
  if (limited) return refused(limited);
  return accept({ ...asked, presenter: mount.readConnection(request).presenter });
}

export async function obtainByCertificate(
  asked: ScopeRequest,
  request: FastifyRequest,
  mount: TokenMount,
  { refresh, jkt }: Pick<CertificateRequest, 'refresh' | 'jkt'> = {},
): Promise<Outcome<TokenPair>> {
  const presented = mount.readPresented(request);
  const pair = await authorizeCertificate(
    { ...asked, presented, requestId: request.id, overCap: overGrantCap(asked.clientId ?? '', mount), refresh, jkt },
    portsOfRequest(mount.ports, request.id),
  );
  recordIntegration(request, asked.clientId, mount.ports); // once more: it may have been found in the store
  return pair;
}

export async function obtainByAssertion(
  asked: Omit<AssertionRequest, 'requestId' | 'overCapOf'>,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenPair>> {
  const pair = await authorizeAssertion(
    { ...asked, requestId: request.id, overCapOf: (clientId) => overGrantCap(clientId, mount) },
    portsOfRequest(mount.ports, request.id),
  );
  recordIntegration(request, asked.clientId, mount.ports); // once more: it may have been found in the store
  return pair;
}

export function obtainByClient(
  asked: Omit<ClientGrantRequest, 'overCap'>,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenPair>> {
  const overCap = overGrantCap(asked.client.integration.clientId, mount);
  return authorizeClient({ ...asked, overCap }, portsOfRequest(mount.ports, request.id));
}

export function obtainByExchange(
  asked: Omit<ExchangeRequest, 'overCap' | keyof Presentation>,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenPair>> {
  const overCap = overGrantCap(asked.clientId, mount);
  const presented = mount.readPresented(request);
  return exchangeToken(
    { ...asked, presented, requestId: request.id, overCap },
    portsOfRequest(mount.ports, request.id),
  );
}

/** For a caller that was identified without a grant: its caps, then the rate of its integration. */
function overGrantCap(clientId: string, mount: TokenMount): OverCap {
  const overCap = mount.capsFor(clientId);
  return (use, identityId) => overCap(use, identityId) ?? mount.overIntegrationLimit(clientId, 'grants');
}

export async function obtainDevice(
  asked: ScopeRequest,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<StartedDevice>> {
  const overLimit = (clientId: string) => mount.overIntegrationLimit(clientId, 'devices');
  const started = await startDevice({ ...asked, overLimit }, mount.ports);
  recordIntegration(request, asked.clientId, mount.ports); // once more: it may have been found in the store
  return started;
}

/** RFC 8628 3.3.1: the address with the code in it, for a link or a QR code. */
export function completeUri(verificationUri: string, { userCode }: StartedDevice): string {
  return `${verificationUri}?user_code=${userCode}`;
}
