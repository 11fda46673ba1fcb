// Dry runs: what the service would make of a token, a certificate, an assertion or a scope. The same operations decide as for a
// request; nothing is written, and nothing secret is returned.
import type { AcceptedAssertion, AssertionStep } from '../../core/assertion.ts';
import type { PresentedChain } from '../../core/certificate.ts';
import { authenticatedGuest, type Grant, grantState, guestOf } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Outcome, refuse } from '../../core/outcome.ts';
import { presenter } from '../../core/presenter.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import { checkAssertionUse } from '../../core/rules/assertion.ts';
import { decideCertificate } from '../../core/rules/certificate.ts';
import { withFlow } from '../../core/rules/client.ts';
import { allowedIdentity } from '../../core/rules/identity.ts';
import type { Standing } from '../../core/rules/refresh.ts';
import { requestedTarget, WHOLE_SCOPE } from '../../core/rules/scope.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { AssertionSetting } from '../../core/token-issuer.ts';
import type { AcceptedCertificate, Verdict } from '../../core/verdict.ts';
import { type Explanation, explainJudgement } from '../../pki/judge/explain.ts';
import type { Store, StorePort } from '../../store/store.ts';
import { assertions } from '../../store/tables/attempts.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { standingOf } from '../../tokens/opaque/pair.ts';
import { parseCode, parseRefreshToken } from '../../tokens/opaque/token-text.ts';
import { redeemDevice } from '../device/redeem-device.ts';
import { mapWorkload } from '../grant/authorize-assertion.ts';
import { checkToken } from '../grant/check-token.ts';
import { mapCaller, mappingStep } from '../grant/identify-caller.ts';
import { refreshTokens } from '../grant/refresh-tokens.ts';
import type { AssertionPorts, CallerPorts, Ports, Registry } from '../ports.ts';

interface ExplainPorts<Judge> extends Pick<Ports, 'registry' | 'store' | 'directories'> {
  readonly judge: Judge;
}
type CertificatePorts = ExplainPorts<(chain: PresentedChain, issuers: readonly ApprovedIssuer[]) => Promise<Verdict>>;
type WorkloadPorts = ExplainPorts<AssertionPorts['judgeAssertion']>;

/** The same, with a store that decides as `change` does, and commits nothing. */
function dry<Some extends StorePort>(ports: Some): Some {
  const { store } = ports;
  const change: Store['change'] = async (table, key, decide) => {
    const { found, now } = await store.load(table, key);
    return decide(found, now).outcome;
  };
  return { ...ports, store: { ...store, change } };
}

/** For each integration, whether it would grant its whole scope. */
type Reach = readonly { readonly clientId: string; readonly refusal?: string }[];

function reachOf({ integrations }: Registry, check: (integration: Integration) => Outcome<unknown>): Reach {
  return integrations.map((integration) => {
    const outcome = check(integration);
    return { clientId: integration.clientId, ...(!outcome.ok && { refusal: outcome.refusal.reason }) };
  });
}

export interface CallerExplanation extends Explanation {
  /** The identity of the caller, if a directory was queried and has it. */
  readonly identityId?: string;
  readonly reach?: Reach;
}

/** `now`: the moment that the judge judges by. */
export async function explainCaller(
  chain: PresentedChain,
  now: EpochSeconds,
  ports: CertificatePorts,
): Promise<CallerExplanation> {
  const verdict = await ports.judge(chain, ports.registry.issuers);
  const explanation = explainJudgement({ chain, now }, verdict);
  return verdict.outcome.ok ? explainMapping(explanation, verdict.outcome.value, ports) : explanation;
}

async function explainMapping(
  { at, accepted, issuer, identity, presented, steps: before }: Explanation,
  certificate: AcceptedCertificate,
  ports: CertificatePorts,
): Promise<CallerExplanation> {
  const caller = await mapCaller(certificate, dry(ports));
  const steps = [...before, mappingStep(certificate, caller)];
  const explanation = { at, presented, steps, ...(issuer && { issuer }), ...(identity && { identity }) };
  if (!caller.ok) return { ...explanation, accepted: false, refusal: { reason: caller.refusal.reason } };
  const { resourceServers } = ports.registry;
  const reach = reachOf(ports.registry, (integration) => {
    const { clientId, scope } = integration;
    return decideCertificate({ clientId, caller, integration, scope: scope.text, resourceServers });
  });
  return { ...explanation, accepted, identityId: caller.value.identity.id, reach };
}

export interface AssertionExplanation {
  readonly accepted: boolean;
  readonly at: string;
  readonly refusal?: { readonly reason: RefusalReason };
  readonly tokenIssuer?: string;
  readonly identityId?: string;
  readonly name?: string;
  readonly steps: readonly AssertionStep[];
  readonly reach?: Reach;
}

/** `now`: the moment that the judge judges by. */
export async function explainAssertion(
  assertion: string,
  now: EpochSeconds,
  ports: WorkloadPorts,
): Promise<AssertionExplanation> {
  const { outcome, steps, tokenIssuer } = await ports.judge(assertion, ports.registry.tokenIssuers);
  const shared = { at: isoTime(now), ...(tokenIssuer && { tokenIssuer: tokenIssuer.label }) };
  if (!outcome.ok) return { ...shared, accepted: false, refusal: { reason: outcome.refusal.reason }, steps };
  const accepted = outcome.value;
  const identity = await mapWorkload(accepted, dry(ports));
  const all = [...steps, await unusedStep(accepted, ports), identityStep(accepted, identity)];
  const failed = all.find(({ passed }) => !passed);
  if (failed || !identity.ok)
    return { ...shared, accepted: false, refusal: { reason: failed?.reason ?? 'identity-unknown' }, steps: all };
  const reach = reachOf(ports.registry, (integration) => {
    const served = withFlow(integration, 'assertion');
    const used = served.ok ? checkAssertionUse(accepted, integration, { scope: WHOLE_SCOPE }, []) : served;
    return used.ok ? allowedIdentity(identity.value, integration) : used;
  });
  return { ...shared, accepted: true, identityId: identity.value.id, name: accepted.name.text, steps: all, reach };
}

async function unusedStep({ mark, tokenIssuer }: AcceptedAssertion, { store }: WorkloadPorts): Promise<AssertionStep> {
  const isOnce = tokenIssuer.assertions === 'once';
  const isUsed = isOnce && (await store.load(assertions, mark)).found !== undefined;
  const words = isOnce ? `it has not been used${isUsed ? ': it has' : ''}` : 'it may be used until it expires';
  return stepOf('unused', !isUsed, words, 'assertions', 'assertion-used');
}

function identityStep({ rule, name }: AcceptedAssertion, identity: Outcome<Identity>): AssertionStep {
  const demand =
    rule.identities === 'derived'
      ? 'the identity is derived from the claims'
      : `exactly one identity of the directory has this ${rule.identities}`;
  const found = identity.ok ? identity.value.id : identity.refusal.reason;
  const words = `${demand}: ${JSON.stringify(name.text)} is ${found}`;
  const reason = identity.ok ? 'assertion-identity-unknown' : identity.refusal.reason;
  return stepOf('identity', identity.ok, words, 'identities', reason);
}

function stepOf(rule: string, passed: boolean, words: string, setting: AssertionSetting, reason: RefusalReason) {
  return { rule, passed, about: 'assertion', words, setting, reason } as const;
}

export interface ScopeExplanation {
  /** Of the integration. */
  readonly scope?: string;
  readonly items: readonly { readonly item: string; readonly has: boolean }[];
  readonly refusal?: RefusalReason;
}

/** Which parts of a scope an integration has, and what a request for it would be told. */
export function explainScope(clientId: string, wanted: string, registry: Registry): ScopeExplanation {
  const integration = registry.integration(clientId);
  if (!integration) return { items: [], refusal: 'integration-unknown' };
  const outcome: Outcome<unknown> = integration.enabled
    ? requestedTarget({ scope: wanted }, integration, [])
    : refuse('integration-disabled');
  const allowed = new Set(scopeItems(integration.scope));
  const resources = new Set(integration.scope.resources.keys());
  const scope = parseScope(wanted);
  const items = (scope ? scopeItems(scope) : []).map((item) => ({
    item,
    has: allowed.has(item) || (!item.includes(':') && resources.has(item)),
  }));
  return { scope: integration.scope.text, items, ...(!outcome.ok && { refusal: outcome.refusal.reason }) };
}

const BY_NOBODY = { presenter: presenter('127.0.0.1', 'tessera explain'), requestId: 'explain' };

export interface TokenExplanation {
  /** The operation that takes such a token, as the log names it. */
  readonly operation: 'verify' | 'refresh' | 'redeem';
  /** Undefined if it would be accepted. */
  readonly refusal?: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

export async function explainToken(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  if (text.startsWith('tsr_')) return explainRefreshToken(text, dry(ports));
  if (text.startsWith('tsd_')) return explainDeviceCode(text, dry(ports));
  const checked = await checkToken(text, dry(ports));
  if (!checked.ok) return { operation: 'verify', ...refusalOf(checked), facts: {} };
  const { scope, grant } = checked.value;
  return { operation: 'verify', facts: { scope: scope.text, ...factsOf(grant, await ports.store.now()) } };
}

async function explainRefreshToken(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  const token = parseRefreshToken(text, ports.keyring);
  const { found, now } = token ? await ports.store.load(grants, token.grantId) : { found: undefined, now: undefined };
  const request = { ...BY_NOBODY, presented: { by: 'nothing' } } as const;
  const clientId = found?.row.clientId ?? ports.registry.integrations[0]?.clientId ?? '';
  const guest = found && guestOf(found.row);
  // As whoever may refresh it: with the proofs that it needs, and no more.
  const isOfClient = found?.row.origin.kind === 'client' || (found && authenticatedGuest(found.row)) === true;
  const isAuthenticated = isOfClient || ports.registry.integration(clientId)?.confidential === true;
  const proven = { isAuthenticated, jkt: found?.row.terms?.jkt };
  const outcome = await refreshTokens({ ...request, clientId, guest, refreshToken: text, proven }, ports);
  const standing = token && found && standingOf(token, found.row, ports.keyring);
  return {
    operation: 'refresh',
    ...refusalOf(outcome),
    facts: { ...(standing && { standing: STANDINGS[standing] }), ...(found && factsOf(found.row, now)) },
  };
}

const STANDINGS: Readonly<Record<Standing, string>> = {
  current: 'the current refresh token of its grant',
  'redeemed-code': 'the device code of its grant, whose first pair was not refreshed',
  'used-code': 'the device code of its grant',
  'last-spent': 'spent by the last refresh; a retry within the window gets the same pair',
  ancestor:
    'spent by an earlier refresh; a program that shares the login gets today’s pair, with its key or in the window',
  spent: 'spent by an earlier refresh',
  ahead: 'newer than the store',
  foreign: 'made with a key of this service, but not for its grant',
};

async function explainDeviceCode(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  const code = parseCode('device', text, ports.keyring);
  const found = code && (await ports.store.load(devices, code.deviceId)).found;
  const clientId = found?.row.clientId ?? ports.registry.integrations[0]?.clientId ?? '';
  const outcome = await redeemDevice({ ...BY_NOBODY, clientId, deviceCode: text }, ports);
  const facts = found && { 'client id': clientId, scope: found.row.scope, expires: isoTime(found.row.expiresAt) };
  return { operation: 'redeem', ...refusalOf(outcome), facts: { ...facts } };
}

function refusalOf(outcome: Outcome<unknown>): { refusal?: string } {
  return outcome.ok ? {} : { refusal: outcome.refusal.reason };
}

function factsOf(grant: Grant, now: EpochSeconds): Record<string, string | number> {
  const { id, clientId, identityId, refreshUntil, pair } = grant;
  return {
    grant: id,
    state: grantState(grant, now),
    'client id': clientId,
    identity: identityId,
    generation: pair.generation,
    'grant ends': isoTime(refreshUntil),
  };
}
