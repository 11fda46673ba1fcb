// Authorization code with PKCE (RFC 6749 4.1, RFC 7636, RFC 9700 2.1): the request, the decision of the person, the redemption.
import type { DeviceAuthorization } from '../device.ts';
import { deviceState } from '../device.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, type PersonOutcome, refuse } from '../outcome.ts';
import { isRegistered } from '../redirect-uri.ts';
import type { ResourceServer } from '../resource-server.ts';
import { type Seconds, seconds } from '../time.ts';
import type { Target } from './audience.ts';
import { withFlow } from './client.ts';
import { decideIssue, type RedeemDecision, type RedeemFacts } from './device.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** RFC 6749 4.1.2: short, since the client redeems it at once. */
export const CODE_LIFETIME: Seconds = seconds(60);
/** How often a person can confirm or deny within the lifetime of a code. */
export const MOST_CODES = 20;

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export interface AskingClient {
  readonly integration: Integration | undefined;
  /** The redirect URIs of a guest's document, instead of those that are registered. */
  readonly documented?: readonly string[] | undefined;
  readonly redirectUri: string | undefined;
}

/** What is wrong with the client or its redirect URI is shown, never redirected: the redirect URI may be anybody's. */
export function checkClient(
  client: AskingClient,
): PersonOutcome<{ readonly integration: Integration; readonly redirectUri: string }> {
  const served = withFlow(client.integration, 'code');
  if (!served.ok) return served;
  const registered = client.documented ?? (served.value.flows.code || undefined)?.redirectUris ?? [];
  const { redirectUri } = client;
  if (!redirectUri || !isRegistered(redirectUri, registered)) return refuse('redirect-uri-unknown');
  return accept({ integration: served.value, redirectUri });
}

export interface AskedCode extends WantedTarget {
  readonly responseType: string | undefined;
  readonly responseMode: string | undefined;
  readonly challenge: string | undefined;
  readonly challengeMethod: string | undefined;
}

/** What is wrong with the rest is sent to the client. `plain` challenges are refused, and so is a request without one. */
export function checkAskedCode(
  asked: AskedCode,
  integration: Integration,
  resourceServers: readonly ResourceServer[],
): Outcome<Target & { readonly challenge: string }> {
  const { responseType, responseMode = 'query', challenge, challengeMethod } = asked;
  if (responseType !== 'code' || responseMode !== 'query') return refuse('response-type-unsupported');
  if (!challenge || !CHALLENGE.test(challenge) || challengeMethod !== 'S256') return refuse('code-challenge-missing');
  const target = requestedTarget(asked, integration, resourceServers);
  return target.ok ? accept({ ...target.value, challenge }) : target;
}

/** The first checks of a redemption, which need no row. `code`: undefined if this service did not mint it. */
export function checkCodeRequest<Code>(
  integration: Integration | undefined,
  code: Code | undefined,
  verifier: string,
): Outcome<{ integration: Integration; code: Code }> {
  const served = withFlow(integration, 'code');
  if (!served.ok) return served;
  return code && VERIFIER.test(verifier) ? accept({ integration: served.value, code }) : refuse('code-not-authentic');
}

export interface CodeFacts extends Omit<RedeemFacts, 'device' | 'slowsDown'> {
  readonly code: DeviceAuthorization;
  /** Whether client, redirect URI and verifier are those of the code. */
  readonly isProved: boolean;
  /** Whether it is that of a guest which must authenticate, and has not. */
  readonly lacksKey?: boolean;
}

/** `end`: a proved code was presented twice, so its grant may be in other hands (RFC 6749 4.1.2). */
export type CodeDecision = Exclude<RedeemDecision, { do: 'wait' }> | { readonly do: 'end' };

/** Without the proof nothing changes: a stolen code alone ends nothing. The limit comes last, as for device codes. */
export function decideRedeemCode({ code: device, isProved, lacksKey, ...facts }: CodeFacts): CodeDecision {
  if (!isProved || device.clientId !== facts.integration.clientId) return no('code-not-authentic');
  if (lacksKey) return no('client-authentication-required');
  const state = deviceState(device, facts.now);
  if (state === 'redeemed') return { do: 'end' };
  if (state !== 'confirmed') return no(state === 'ended' ? 'code-ended' : 'code-expired');
  const decision = decideIssue({ ...facts, device });
  if (decision.do !== 'redeem') return decision;
  const over = facts.limit ?? facts.overCap?.('grants', decision.holder.id);
  return over ? { do: 'refuse', refusal: over } : decision;
}

function no(
  reason: 'code-not-authentic' | 'client-authentication-required' | 'code-expired' | 'code-ended',
): CodeDecision {
  return { do: 'refuse', refusal: { reason } };
}
