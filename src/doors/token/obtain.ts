// How token doors call the operations that several of them have, with their rate limits.
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import type { TokenRequest } from '../../core/rules/token-request.ts';
import { type RedeemRequest, redeemDevice } from '../../operations/device/redeem-device.ts';
import { type StartedDevice, startDevice } from '../../operations/device/start-device.ts';
import { authorizeCertificate, type CertificateRequest } from '../../operations/grant/authorize-certificate.ts';
import { type RefreshRequest, refreshTokens } from '../../operations/grant/refresh-tokens.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import type { Call } from './call.ts';

/** What doors do differently. */
type PairOptions = Pick<RedeemRequest, 'slowsDown'> & Pick<RefreshRequest, 'guest' | 'scope' | 'resource' | 'proven'>;

export function obtainPair(asked: TokenRequest, call: Call, options: PairOptions = {}): Promise<Outcome<TokenPair>> {
  const limits = call.limitsOf(asked.clientId);
  call.record.operation = asked.kind;
  if (asked.kind === 'redeem')
    return redeemDevice({ ...asked, ...options, ...limits, requestId: call.request.id }, call.ports);
  return refreshTokens({ ...asked, ...options, ...limits, ...call.presentation }, call.mount.ports);
}

export interface ScopeRequest extends WantedTarget {
  readonly clientId: string | undefined;
  /** Whether the integration has authenticated. Undefined at a door where none can. */
  readonly isAuthenticated?: boolean;
  readonly presenter: Presenter;
}

/** A request for a scope, from a caller within its limits. */
export function scopeRequest(asked: Omit<ScopeRequest, 'presenter'>, call: Call): Outcome<ScopeRequest> {
  call.recordIntegration(asked.clientId);
  const limited = call.overLimit();
  return limited ? refused(limited) : accept({ ...asked, presenter: call.presenter });
}

export async function obtainByCertificate(
  asked: ScopeRequest & Pick<CertificateRequest, 'refresh' | 'jkt'>,
  call: Call,
): Promise<Outcome<TokenPair>> {
  const overCap = call.grantCap(asked.clientId ?? '');
  const pair = await authorizeCertificate({ ...asked, ...call.presentation, overCap }, call.ports);
  call.recordIntegration(asked.clientId); // once more: it may have been found in the store
  return pair;
}

export async function obtainDevice(asked: ScopeRequest, call: Call): Promise<Outcome<StartedDevice>> {
  const overLimit = (clientId: string) => call.mount.overIntegrationLimit(clientId, 'devices');
  const started = await startDevice({ ...asked, overLimit }, call.mount.ports);
  call.recordIntegration(asked.clientId); // once more: it may have been found in the store
  return started;
}

/** RFC 8628 3.3.1: the address with the code in it, for a link or a QR code. */
export function completeUri(verificationUri: string, { userCode }: StartedDevice): string {
  return `${verificationUri}?user_code=${userCode}`;
}
