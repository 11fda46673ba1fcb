import type { DeviceAuthorization } from '../../core/device.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import { whyUnbound } from '../../core/rules/client.ts';
import { checkRedeemRequest, decideRedeem } from '../../core/rules/device.ts';
import { hasOpaqueItems } from '../../core/scope.ts';
import { type Decision, insert } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { hashesTo } from '../../tokens/opaque/pair.ts';
import { parseDeviceCode } from '../../tokens/opaque/token-text.ts';
import { drawGrant, type GrantDraft, issueGrant } from '../grant/issue-grant.ts';
import { failIfKeyMissing } from '../grant/missing-key.ts';
import { namedResourceServers } from '../grant/named-resource-servers.ts';
import { type DecidedPair, mintPair, type TokenPair } from '../grant/token-pair.ts';
import type { Ports } from '../ports.ts';

export interface RedeemRequest {
  readonly clientId: string;
  readonly deviceCode: string;
  readonly presenter: Presenter;
  /** Charged for an authentic code only. The rule checks it last: a dead code gets its own error, not a 429. */
  readonly overLimit?: () => Refusal | undefined;
  readonly overCap?: OverCap;
  /** Whether polling too fast makes the interval longer. */
  readonly slowsDown?: boolean | undefined;
  /** The audiences that the grant shall be limited to (RFC 8707). */
  readonly resource?: readonly string[] | undefined;
  readonly jkt?: GrantDraft['jkt'];
  /** At a door that has no opaque scope items. */
  readonly isPlain?: boolean;
}

/** Exchanges a confirmed device code for a grant, once: the redemption and the grant are one commit. */
export async function redeemDevice(request: RedeemRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const parsed = parseDeviceCode(request.deviceCode, ports.keyring);
  const { registry } = ports;
  // Only an authentic code is worth a look in the store.
  const named =
    registry.integration(request.clientId) ?? (parsed && (await registry.findIntegration(request.clientId)));
  const checked = checkRedeemRequest(named, parsed, ports.settings);
  if (!checked.ok) {
    if (checked.refusal.reason === 'device-code-not-authentic') await failIfKeyMissing(request.deviceCode, ports);
    return checked;
  }
  const { integration, code } = checked.value;
  const unbound = whyUnbound(integration, request.jkt);
  if (unbound) return refuse(unbound);
  const limit = request.overLimit?.();
  const { slowsDown, overCap, resource: wantedResource } = request;
  const resourceServers = await namedResourceServers(wantedResource, ports);
  const drawn = drawGrant(ports);
  const decided = await ports.store.change(devices, code.deviceId, (found, now): Redemption => {
    if (!found || !hashesTo(code.secret, found.row.deviceCodeHash))
      return { outcome: refuse('device-code-not-authentic') };
    const { row: device, companion: holder } = found;
    if (request.isPlain && hasOpaqueItems(device.scope)) return { outcome: refuse('grant-of-oauth-door') };
    const facts = { integration, device, holder, limit, overCap, slowsDown, wantedResource, resourceServers, now };
    const decision = decideRedeem(facts);
    if (decision.do === 'refuse') return { outcome: refused(decision.refusal) };
    if (decision.do === 'wait') {
      const { refusal, interval } = decision;
      return { outcome: refused(refusal), next: { ...device, interval, lastPolledAt: now } };
    }
    const { holder: identity, target } = decision;
    const draft = {
      integration,
      identity,
      scope: target.scope.text,
      resource: target.resource,
      origin: { kind: 'device' },
      presenter: request.presenter,
      jkt: request.jkt,
    } as const;
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    const next: DeviceAuthorization = { ...device, decision: { is: 'redeemed', by: identity.id, at: now } };
    return { outcome: accept(pair), next, inserts: [insert(grants, grant)], events: [event] };
  });
  return mintPair(decided, ports);
}

type Redemption = Decision<DeviceAuthorization, Outcome<DecidedPair>>;
