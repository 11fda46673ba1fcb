import type { DeviceAuthorization } from '../../core/device.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import { type Proven, whyUnprovenRedemption } from '../../core/rules/client.ts';
import { checkRedeemRequest, decideRedeem, type RedeemDecision } from '../../core/rules/device.ts';
import { hasOpaqueItems } from '../../core/scope.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Decision, insert } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { hashesTo } from '../../tokens/opaque/pair.ts';
import { parseCode } from '../../tokens/opaque/token-text.ts';
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
  /** Undefined at a door that takes no proof, and has no opaque scope items. */
  readonly proven?: Proven | undefined;
}

/** Exchanges a confirmed device code for a grant, once: the redemption and the grant are one commit. */
export async function redeemDevice(request: RedeemRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const { deviceCode, proven, slowsDown, overCap, resource: wantedResource } = request;
  const parsed = parseCode('device', deviceCode, ports.keyring);
  const check = (named: Integration | undefined) => checkRedeemRequest(named, parsed, ports.settings);
  const checked = await checkRedemption({ ...request, code: deviceCode, isParsed: parsed !== undefined }, check, ports);
  if (!checked.ok) return checked;
  const { integration, code } = checked.value;
  const limit = request.overLimit?.();
  const resourceServers = await namedResourceServers(wantedResource, ports);
  const drawn = drawGrant(ports);
  const decided = await ports.store.change(devices, code.deviceId, (found, now): Redemption => {
    if (!found || !hashesTo(code.secret, found.row.deviceCodeHash))
      return { outcome: refuse('device-code-not-authentic') };
    const { row: device, companion: holder } = found;
    if (!proven && hasOpaqueItems(device.scope)) return { outcome: refuse('grant-of-oauth-door') };
    const facts = { integration, device, holder, limit, overCap, slowsDown, wantedResource, resourceServers, now };
    const decision = decideRedeem(facts);
    if (decision.do === 'refuse') return { outcome: refused(decision.refusal) };
    if (decision.do === 'wait') {
      const { refusal, interval } = decision;
      return { outcome: refused(refusal), next: { ...device, interval, lastPolledAt: now } };
    }
    const draft = { integration, origin: { kind: 'device' }, presenter: request.presenter, jkt: proven?.jkt } as const;
    return redemption(device, decision, draft, drawn, now, ports);
  });
  return mintPair(decided, ports);
}

interface SentCode extends Pick<RedeemRequest, 'clientId' | 'proven'> {
  readonly code: string;
  /** Only an authentic code is worth a look in the store. */
  readonly isParsed: boolean;
}

/** The checks that need no row, for both kinds of codes. */
export async function checkRedemption<Code>(
  { clientId, proven, code, isParsed }: SentCode,
  check: (named: Integration | undefined) => Outcome<{ integration: Integration; code: Code }>,
  ports: Ports,
): Promise<ReturnType<typeof check>> {
  const { registry } = ports;
  const checked = check(
    registry.integration(clientId) ?? (isParsed ? await registry.findIntegration(clientId) : undefined),
  );
  if (!checked.ok) {
    if (checked.refusal.reason.endsWith('code-not-authentic')) await failIfKeyMissing(code, ports);
    return checked;
  }
  const unproven = whyUnprovenRedemption(checked.value.integration, proven);
  return unproven ? refuse(unproven) : checked;
}

export function redemption(
  row: DeviceAuthorization,
  { holder: identity, target }: Extract<RedeemDecision, { do: 'redeem' }>,
  draft: Omit<GrantDraft, 'identity' | 'scope' | 'resource'>,
  drawn: ReturnType<typeof drawGrant>,
  now: EpochSeconds,
  ports: Ports,
): Redemption {
  const { scope, resource } = target;
  const issued = issueGrant({ ...draft, identity, scope: scope.text, resource }, drawn, now, ports);
  const next: DeviceAuthorization = { ...row, decision: { is: 'redeemed', by: identity.id, at: now } };
  return { outcome: accept(issued.pair), next, inserts: [insert(grants, issued.grant)], events: [issued.event] };
}

export type Redemption = Decision<DeviceAuthorization, Outcome<DecidedPair>>;
