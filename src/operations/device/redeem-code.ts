import type { ClientUrl } from '../../core/client-document.ts';
import type { DeviceAuthorization } from '../../core/device.ts';
import type { GrantId } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import { whyUnprovenRedemption } from '../../core/rules/client.ts';
import { checkCodeRequest, decideRedeemCode } from '../../core/rules/code.ts';
import { type Decision, insert } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { isSameHash } from '../../tokens/mac.ts';
import { parseAuthorizationCode } from '../../tokens/opaque/token-text.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { drawGrant, issueGrant } from '../grant/issue-grant.ts';
import { failIfKeyMissing } from '../grant/missing-key.ts';
import { namedResourceServers } from '../grant/named-resource-servers.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { type DecidedPair, mintPair, type TokenPair } from '../grant/token-pair.ts';
import type { Ports } from '../ports.ts';
import type { RedeemRequest } from './redeem-device.ts';

export interface CodeRedemption extends Omit<RedeemRequest, 'deviceCode' | 'slowsDown'> {
  /** Set if the caller is a guest of the integration. */
  readonly guest?: ClientUrl | undefined;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Exchanges a code for a grant, once. The grant has the id of the code, so that a second redemption finds and ends it. */
export async function redeemCode(request: CodeRedemption, ports: Ports): Promise<Outcome<TokenPair>> {
  const { registry } = ports;
  const { clientId, guest, redirectUri, verifier, overCap, resource: wantedResource } = request;
  const parsed = parseAuthorizationCode(request.code, ports.keyring);
  // Only an authentic code is worth a look in the store.
  const named = registry.integration(clientId) ?? (parsed && (await registry.findIntegration(clientId)));
  const checked = checkCodeRequest(named, parsed, verifier);
  if (!checked.ok) {
    if (checked.refusal.reason === 'code-not-authentic') await failIfKeyMissing(request.code, ports);
    return checked;
  }
  const { integration, code } = checked.value;
  const { proven } = request;
  const unproven = whyUnprovenRedemption(integration, proven);
  if (unproven) return refuse(unproven);
  const proof = codeHash({
    secret: code.secret,
    client: guest ?? clientId,
    redirectUri,
    challenge: Buffer.from(sha256(verifier), 'hex').toString('base64url'),
  });
  const limit = request.overLimit?.();
  const resourceServers = await namedResourceServers(wantedResource, ports);
  const drawn = { ...drawGrant(ports), id: code.deviceId as string as GrantId };
  const decided = await ports.store.change(devices, code.deviceId, (found, now): Redemption => {
    if (!found) return { outcome: refuse('code-not-authentic') };
    const { row, companion: holder } = found;
    const isProved = isSameHash(proof, row.deviceCodeHash);
    const facts = { integration, code: row, isProved, holder, limit, overCap, wantedResource, resourceServers, now };
    const decision = decideRedeemCode(facts);
    if (decision.do === 'refuse') return { outcome: refused(decision.refusal) };
    if (decision.do === 'end') return { outcome: refuse('code-redeemed') };
    const { holder: identity, target } = decision;
    const strong = row.decision.is === 'confirmed' && row.decision.proof;
    const draft = {
      integration,
      identity,
      scope: target.scope.text,
      resource: target.resource,
      origin: { kind: 'code', ...(guest ? { guest } : strong && { proof: strong }) },
      presenter: request.presenter,
      jkt: proven?.jkt,
    } as const;
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    const next: DeviceAuthorization = { ...row, decision: { is: 'redeemed', by: identity.id, at: now } };
    return { outcome: accept(pair), next, inserts: [insert(grants, grant)], events: [event] };
  });
  if (!decided.ok && decided.refusal.reason === 'code-redeemed') await revokeById(drawn.id, 'reuse', ports);
  return mintPair(decided, ports);
}

type Redemption = Decision<DeviceAuthorization, Outcome<DecidedPair>>;

/** What a redemption must prove, in one hash: the code, the client, the redirect URI and the PKCE challenge. */
export function codeHash(of: {
  readonly secret: Buffer;
  /** The client_id that was sent. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
}): Hex {
  return sha256([of.secret.toString('hex'), of.client, of.redirectUri, of.challenge].join('\0'));
}
