import type { DeviceAuthorization } from '../core/device.ts';
import { accept, type Outcome } from '../core/outcome.ts';
import type { Presenter } from '../core/presenter.ts';
import type { Refusal } from '../core/refusal.ts';
import { decideRedeem, type RedeemDecision } from '../core/rules/device.ts';
import { type Decision, insert } from '../store/store.ts';
import { devices } from '../store/tables/devices.ts';
import { grants } from '../store/tables/grants.ts';
import { hashesTo } from '../tokens/pair.ts';
import { parseDeviceCode } from '../tokens/token-text.ts';
import { drawGrant, issueGrant } from './issue-grant.ts';
import type { Ports } from './ports.ts';
import type { TokenPair } from './token-pair.ts';

export interface RedeemRequest {
  readonly clientId: string;
  readonly deviceCode: string;
  readonly presenter: Presenter;
  /** The caller is over a limit: the credential is only looked at, so that a dead one is told as such and not to wait. */
  readonly overLimit?: Refusal | undefined;
}

/** Exchanges a confirmed device code for a grant, once: the code's redemption and the grant are one commit. */
export async function redeemDevice(request: RedeemRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const { settings, keyring, store, clock } = ports;
  const integration = ports.registry.integration(request.clientId);
  const code = parseDeviceCode(request.deviceCode, keyring);
  if (!integration || !code) {
    return refusalOf(decideRedeem({ integration, device: undefined, holder: undefined, settings, now: clock.now() }));
  }
  const drawn = drawGrant(ports);
  return store.change(devices, code.deviceId, (found, now): Decision<DeviceAuthorization, Outcome<TokenPair>> => {
    const device = found && hashesTo(code.secret, found.row.deviceCodeHash) ? found.row : undefined;
    const decision = decideRedeem({ integration, device, holder: found?.companion, settings, now });
    if (!device || decision.do === 'refuse') return { outcome: refusalOf(decision) };
    if (request.overLimit) return { outcome: { ok: false, refusal: request.overLimit } };
    if (decision.do === 'wait') return { outcome: refusalOf(decision), next: { ...device, lastPolledAt: now } };
    const { holder: identity } = decision;
    const draft = {
      integration,
      identity,
      scope: device.scope,
      origin: { kind: 'device' },
      presenter: request.presenter,
    } as const;
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    const next: DeviceAuthorization = { ...device, decision: { is: 'redeemed', by: identity.id, at: now } };
    return { outcome: accept(pair), next, inserts: [insert(grants, grant)], events: [event] };
  });
}

function refusalOf(decision: RedeemDecision): Outcome<never> {
  return { ok: false, refusal: decision.do === 'redeem' ? { reason: 'fault' } : decision.refusal };
}
