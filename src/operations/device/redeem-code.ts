import type { ClientUrl } from '../../core/client-document.ts';
import type { GrantId } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Integration } from '../../core/integration.ts';
import { type Outcome, refuse, refused } from '../../core/outcome.ts';
import { checkCodeRequest, decideRedeemCode } from '../../core/rules/code.ts';
import { devices } from '../../store/tables/devices.ts';
import { isSameHash } from '../../tokens/mac.ts';
import { parseCode } from '../../tokens/opaque/token-text.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { drawGrant } from '../grant/issue-grant.ts';
import { namedResourceServers } from '../grant/named-resource-servers.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { mintPair, type TokenPair } from '../grant/token-pair.ts';
import type { Ports } from '../ports.ts';
import { checkRedemption, type RedeemRequest, type Redemption, redemption } from './redeem-device.ts';

export interface CodeRedemption extends Omit<RedeemRequest, 'deviceCode' | 'slowsDown'> {
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
    const strong = row.decision.is === 'confirmed' && row.decision.proof;
    const origin = { kind: 'code', ...(guest ? { guest } : strong && { proof: strong }) } as const;
    const draft = { integration, origin, presenter: request.presenter, jkt: proven?.jkt };
    return redemption(row, decision, draft, drawn, now, ports);
  });
  if (!decided.ok && decided.refusal.reason === 'code-redeemed') await revokeById(drawn.id, 'reuse', ports);
  return mintPair(decided, ports);
}

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
