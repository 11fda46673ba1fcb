import type { ClientUrl } from '../../core/client-document.ts';
import type { DeviceAuthorization } from '../../core/device.ts';
import type { GrantId } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import { type Proven, whyUnprovenRedemption } from '../../core/rules/client.ts';
import { checkCodeRequest, decideRedeemCode } from '../../core/rules/code.ts';
import { checkRedeemRequest, decideRedeem, type RedeemDecision } from '../../core/rules/device.ts';
import { hasOpaqueItems } from '../../core/scope.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Decision, insert } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { isSameHash } from '../../tokens/mac.ts';
import { firstTokenOf } from '../../tokens/opaque/pair.ts';
import { parseCode } from '../../tokens/opaque/token-text.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { drawGrant, type GrantDraft, issueGrant, namedResourceServers } from '../grant/issue-grant.ts';
import { failIfKeyMissing } from '../grant/missing-key.ts';
import { repeatRedemption } from '../grant/refresh-tokens.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { type DecidedPair, mintPair, type TokenPair } from '../grant/token-pair.ts';
import type { CallerPorts, Ports } from '../ports.ts';

export interface RedeemRequest {
  /** In the event of a code that is sent again. */
  readonly requestId: string;
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
export async function redeemDevice(request: RedeemRequest, ports: CallerPorts): Promise<Outcome<TokenPair>> {
  const { deviceCode, proven, slowsDown, overCap, resource: wantedResource } = request;
  const parsed = parseCode('device', deviceCode, ports.keyring);
  const check = (named: Integration | undefined) => checkRedeemRequest(named, parsed, ports.settings);
  const checked = await checkRedemption({ ...request, code: deviceCode, isParsed: parsed !== undefined }, check, ports);
  if (!checked.ok) return checked;
  const { integration, code } = checked.value;
  const limit = request.overLimit?.();
  const resourceServers = await namedResourceServers(wantedResource, ports);
  const drawn = drawGrant(ports);
  /** What a retry can derive again, at a door where there are any. */
  const drawnFor = (at: EpochSeconds) => {
    if (!proven) return undefined;
    const { grantId: id, ...secrets } = firstTokenOf(
      code,
      { at, isAuthenticated: proven.isAuthenticated },
      ports.keyring,
    );
    return { id, ...secrets };
  };
  const decided = await ports.store.change(devices, code.deviceId, (found, now): Redemption => {
    if (!found || !isSameHash(deviceCodeHash(code.secret, integration), found.row.deviceCodeHash))
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
    return redemption(device, decision, draft, drawnFor(now) ?? drawn, now, ports);
  });
  // Contract 4.1: a device code is valid once only. At a door that takes proofs, the answer may have been lost.
  const isRedeemed = !decided.ok && decided.refusal.reason === 'device-code-redeemed';
  if (!isRedeemed || !proven) return mintPair(decided, ports);
  const { found } = await ports.store.load(devices, code.deviceId);
  if (found?.row.decision.is !== 'redeemed') return decided;
  const { at } = found.row.decision;
  const first = firstTokenOf(code, { at, isAuthenticated: proven.isAuthenticated }, ports.keyring);
  return repeatRedemption(first, { ...request, integration, limit }, ports);
}

interface SentCode extends Pick<RedeemRequest, 'clientId' | 'proven'> {
  readonly code: string;
  /** Only an authentic code is worth a look in the store. */
  readonly isParsed: boolean;
}

/** The checks that need no row, for both kinds of codes. */
async function checkRedemption<Code>(
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

function redemption(
  row: DeviceAuthorization,
  { holder: identity, target }: Extract<RedeemDecision, { do: 'redeem' }>,
  draft: Omit<GrantDraft, 'identity' | 'target'>,
  drawn: ReturnType<typeof drawGrant>,
  now: EpochSeconds,
  ports: Ports,
): Redemption {
  const issued = issueGrant({ ...draft, identity, target }, drawn, now, ports);
  const next: DeviceAuthorization = { ...row, decision: { is: 'redeemed', by: identity.id, at: now } };
  return { outcome: accept(issued.pair), next, inserts: [insert(grants, issued.grant)], events: [issued.event] };
}

export type Redemption = Decision<DeviceAuthorization, Outcome<DecidedPair>>;

export interface CodeRedemption extends Omit<RedeemRequest, 'deviceCode' | 'slowsDown' | 'requestId'> {
  readonly guest?: ClientUrl | undefined;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Exchanges a code for a grant, once. The grant has the id of the code, so that a second redemption finds and ends it. */
export async function redeemCode(request: CodeRedemption, ports: Ports): Promise<Outcome<TokenPair>> {
  const { clientId, guest, redirectUri, verifier, proven, overCap, resource: wantedResource } = request;
  const parsed = parseCode('authorization', request.code, ports.keyring);
  const check = (named: Integration | undefined) => checkCodeRequest(named, parsed, verifier);
  const checked = await checkRedemption({ ...request, isParsed: parsed !== undefined }, check, ports);
  if (!checked.ok) return checked;
  const { integration, code } = checked.value;
  const challenge = Buffer.from(sha256(verifier), 'hex').toString('base64url');
  const proofFor = (client: string) => codeHash({ secret: code.secret, integration, client, redirectUri, challenge });
  const isAuthenticated = proven?.isAuthenticated === true;
  const limit = request.overLimit?.();
  const resourceServers = await namedResourceServers(wantedResource, ports);
  const drawn = { ...drawGrant(ports), id: code.deviceId as string as GrantId };
  const decided = await ports.store.change(devices, code.deviceId, (found, now): Redemption => {
    if (!found) return { outcome: refuse('code-not-authentic') };
    const { row, companion: holder } = found;
    const isWithKey = guest !== undefined && isSameHash(proofFor(clientWithKey(guest)), row.deviceCodeHash);
    const isProved = isWithKey || isSameHash(proofFor(guest ?? clientId), row.deviceCodeHash);
    const lacksKey = isWithKey && !isAuthenticated;
    const facts = {
      integration,
      code: row,
      isProved,
      lacksKey,
      holder,
      limit,
      overCap,
      wantedResource,
      resourceServers,
      now,
    };
    const decision = decideRedeemCode(facts);
    if (decision.do === 'refuse') return { outcome: refused(decision.refusal) };
    if (decision.do === 'end') return { outcome: refuse('code-redeemed') };
    const strong = row.decision.is === 'confirmed' && row.decision.proof;
    const asGuest = guest && { guest, ...(isAuthenticated && { withKey: true as const }) };
    const origin = { kind: 'code', ...(asGuest ?? (strong && { proof: strong })) } as const;
    const draft = { integration, origin, presenter: request.presenter, jkt: proven?.jkt };
    return redemption(row, decision, draft, drawn, now, ports);
  });
  if (!decided.ok && decided.refusal.reason === 'code-redeemed') await revokeById(drawn.id, 'reuse', ports);
  return mintPair(decided, ports);
}

/** A code is proved with the registration that it was made for: a client id that is registered again names another integration. */
export function deviceCodeHash(secret: Buffer, { registration }: Integration): Hex {
  return sha256(registration === undefined ? secret : `${secret.toString('hex')}\0${registration}`);
}

/** What the code of a guest that must authenticate is proved with: the document said so when the person confirmed. */
export function clientWithKey(guest: ClientUrl): string {
  return `${guest} key`;
}

/** The same of an authorization code, with the client, the redirect URI and the PKCE challenge. */
export function codeHash(of: {
  readonly secret: Buffer;
  readonly integration: Integration;
  /** The client_id that was sent. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
}): Hex {
  const { registration } = of.integration;
  const proved = [of.secret.toString('hex'), of.client, of.redirectUri, of.challenge];
  return sha256([...proved, ...(registration === undefined ? [] : [registration])].join('\0'));
}
