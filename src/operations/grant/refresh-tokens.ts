import type { ClientUrl } from '../../core/client-document.ts';
import { type Event, ended } from '../../core/event.ts';
import { accessTokenExpiry, boundAnew, type Grant, grantTime, revoke } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refusedTo } from '../../core/outcome.ts';
import { isSamePresenter, type Presenter } from '../../core/presenter.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import {
  asksForCertificate,
  checkRefreshRequest,
  decideRefresh,
  type RefreshDecision,
  type RefreshFacts,
  type Spent,
} from '../../core/rules/refresh.ts';
import { isRefreshLogged } from '../../core/rules/refresh-log.ts';
import { marked, withProgram } from '../../core/rules/siblings.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Decision } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import { lastAccepted } from '../../store/tables/store-history.ts';
import {
  currentRefreshToken,
  NONCE_LENGTH,
  nextRefreshToken,
  sameRefreshToken,
  standingOf,
  standingOfCode,
} from '../../tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../tokens/opaque/token-text.ts';
import type { CallerPorts, Ports } from '../ports.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { failIfKeyMissing } from './missing-key.ts';
import { recheck } from './seen-identity.ts';
import { accessTokenFacts, type DecidedPair, mintPair, type TokenPair } from './token-pair.ts';

export interface RefreshRequest extends Presentation {
  readonly clientId: string;
  /** Set if the caller is a guest of the integration. */
  readonly guest?: ClientUrl | undefined;
  readonly refreshToken: string;
  /** Checked only: the pair always has the grant's scope. */
  readonly scope?: string | undefined;
  /** Checked only: the grant stays limited to the same resource servers. */
  readonly resource?: readonly string[] | undefined;
  readonly presenter: Presenter;
  readonly proven?: RefreshFacts['proven'];
  /** Charged for an authentic token only. The rule checks it last: a dead token gets its own error, not a 429. */
  readonly overLimit?: () => Refusal | undefined;
  readonly overCap?: OverCap;
}

/** Rotates the pair, repeats it for a retry, or ends the grant for a reuse: rules/refresh.ts decides which. */
export async function refreshTokens(request: RefreshRequest, ports: CallerPorts): Promise<Outcome<TokenPair>> {
  const parsed = parseRefreshToken(request.refreshToken, ports.keyring);
  const { registry } = ports;
  // Only an authentic token is worth a look in the store.
  const named =
    registry.integration(request.clientId) ?? (parsed && (await registry.findIntegration(request.clientId)));
  const checked = checkRefreshRequest(named, parsed);
  if (!checked.ok) {
    if (checked.refusal.reason === 'refresh-token-not-authentic') await failIfKeyMissing(request.refreshToken, ports);
    return checked;
  }
  const { integration, token } = checked.value;
  const caller = asksForCertificate(integration.binding) ? await certifyCaller(request, ports) : undefined;
  return present(token, { ...request, integration, caller, limit: request.overLimit?.() }, ports);
}

interface RepeatedRedemption
  extends Pick<Sent, 'presenter' | 'requestId' | 'proven' | 'limit' | 'overCap' | 'resource'> {
  readonly integration: Integration;
}

/** A device code that was redeemed is sent again. `token`: the first of its grant. */
export function repeatRedemption(
  token: RefreshToken,
  { resource, presenter, requestId, proven, limit, overCap, integration }: RepeatedRedemption,
  ports: CallerPorts,
): Promise<Outcome<TokenPair>> {
  const sent = { resource, presenter, requestId, proven, limit, overCap, integration };
  return present(token, { ...sent, caller: undefined, isCode: true }, ports);
}

interface Sent
  extends Pick<RefreshRequest, 'presenter' | 'requestId' | 'scope' | 'resource'>,
    Pick<RefreshFacts, 'integration' | 'guest' | 'caller' | 'proven' | 'limit' | 'overCap'> {
  /** Instead of the token, the device code of its grant was sent. */
  readonly isCode?: boolean;
}

async function present(token: RefreshToken, sent: Sent, ports: CallerPorts): Promise<Outcome<TokenPair>> {
  const { integration, guest, caller, proven, limit, overCap, scope: wantedScope, resource: wantedResource } = sent;
  let known: Known = {
    integration,
    guest,
    caller,
    proven,
    limit,
    overCap,
    wantedScope,
    wantedResource,
    settings: ports.settings,
    outages: 'not-loaded',
    loss: 'not-checked',
    isRechecked: false,
  };
  for (let attempt = 0; attempt < MOST_LOOKUPS; attempt++) {
    const answer = await change(token, sent, known, ports);
    if ('ok' in answer) {
      if (answer.ok && answer.value.isOfSibling) ports.countSibling();
      return mintPair(answer, ports);
    }
    known = { ...known, ...(await lookUp(answer, ports)) };
  }
  throw new Error('the rule asked again for what was loaded');
}

/** What is known before the row is loaded. The rule asks for `outages` and `loss` only if it needs them. */
interface Known extends Omit<RefreshFacts, 'grant' | 'standing' | 'generation' | 'holder' | 'isUpgrading' | 'now'> {
  /** Whether the directory of the holder was asked. */
  readonly isRechecked: boolean;
}
/** Each fact once, and the first decision. */
const MOST_LOOKUPS = 4;

async function lookUp(asked: Asked, ports: Ports): Promise<Partial<Known>> {
  const { store, explainLoss } = ports;
  if (asked.lacks === 'holder') {
    await recheck(asked.holder, asked.now, ports);
    return { isRechecked: true };
  }
  if (asked.lacks === 'outages') return { outages: (await store.load(serviceTimes, SERVICE)).found?.row.outages ?? [] };
  await explainLoss?.(asked.grant);
  return { loss: 'explained', lossAcceptedAt: await lastAccepted(store) };
}

type Asked =
  | { readonly lacks: 'outages' | 'loss'; readonly grant: Grant }
  | { readonly lacks: 'holder'; readonly holder: Identity; readonly now: EpochSeconds };

type Answer = Outcome<DecidedPair> | Asked;

function change(
  token: RefreshToken,
  { presenter, requestId, isCode = false }: Sent,
  known: Known,
  ports: CallerPorts,
): Promise<Answer> {
  const nonce = ports.random(NONCE_LENGTH).toString('hex') as Hex;
  return ports.store.change(grants, token.grantId, (found, clock): Decision<Grant, Answer> => {
    if (!found) return { outcome: refuse(isCode ? 'device-code-redeemed' : 'grant-unknown') };
    const { row: grant, companion: holder } = found;
    if (holder && !known.isRechecked && ports.directories.isDue(holder, clock))
      return { outcome: { lacks: 'holder', holder, now: clock } };
    const now = grantTime(grant, clock);
    const standing = () => (isCode ? standingOfCode : standingOf)(token, grant, ports.keyring);
    const isUpgrading = ports.derivation() === 'secret';
    const decision = decideRefresh({
      ...known,
      grant,
      standing,
      generation: token.generation,
      holder,
      isUpgrading,
      now,
    });
    return commitOf(decision, { grant, token, presenter, requestId, now }, nonce, ports);
  });
}

function commitOf(decision: RefreshDecision, turn: Turn, nonce: Hex, ports: CallerPorts): Decision<Grant, Answer> {
  switch (decision.do) {
    case 'load-outages':
      return { outcome: { lacks: 'outages', grant: turn.grant } };
    case 'explain-loss':
      return { outcome: { lacks: 'loss', grant: turn.grant } };
    case 'rotate':
      return rotate(turn, nonce, decision, ports);
    case 'repeat':
      return repeat(turn, decision, ports);
    case 'refuse':
      return { outcome: refusedTo(turn.grant.identityId, decision.refusal) };
    case 'report-reuse':
      return {
        outcome: refusedTo(turn.grant.identityId, decision.refusal),
        events: [{ type: 'reused', ...eventFacts(turn), detail: { ended: false } }],
      };
    case 'end':
      return end(turn, decision);
  }
}

interface Turn {
  readonly grant: Grant;
  readonly token: RefreshToken;
  readonly presenter: Presenter;
  readonly now: EpochSeconds;
  /** In the events, so that they and the log line are found by each other. */
  readonly requestId: string;
}

function rotate(
  turn: Turn,
  nonce: Hex,
  { settings, bindTo, window, spent, healed }: RefreshDecision & { do: 'rotate' },
  ports: CallerPorts,
): Decision<Grant, Outcome<DecidedPair>> {
  const { token, presenter, requestId, now } = turn;
  const grant = healed ? atGeneration(turn, token.generation) : afterUse(turn, spent);
  const key = ports.keyring.minting;
  const expiresAt = accessTokenExpiry(grant, now, settings);
  const current = spent ? currentRefreshToken(token, grant, ports.keyring) : token;
  const minted = nextRefreshToken(current ?? token, nonce, key, ports.derivation());
  const { refreshHash } = minted;
  const generation = grant.pair.generation + 1;
  const pair = { generation, keyId: key.id, refreshHash, nonce, issuedAt: now, expiresAt, presenter };
  const facts = accessTokenFacts(grant, ports);
  const rotated: Grant = { ...grant, pair: facts.jwt ? { ...pair, ...facts } : pair };
  const bound = grant.bindings || bindTo ? { ...rotated, bindings: boundAnew(grant, bindTo) } : rotated;
  // By the marks of the row as it is: the lost generations count as superseded now.
  const next = marked(bound, healed ? turn.grant : grant, window, now);
  // Without the identity, the event is one appended row and in no index; the grant names its holder.
  const { id: subjectId, clientId } = grant;
  const event: Event = { type: 'refreshed', at: now, clientId, subjectId, presenter, requestId };
  const isLogged = isRefreshLogged(ports.settings, grant, next);
  const used = spent ? useEvents(turn, spent, grant) : [];
  const healing: Event[] = healed ? [{ type: 'healed', ...eventFacts(turn), detail: { generations: healed } }] : [];
  const outcome = accept({ grant: next, minted, now, isOfSibling: spent !== undefined });
  return { outcome, next, events: isLogged ? [event, ...healing, ...used] : [...healing, ...used] };
}

function repeat(
  turn: Turn,
  { spent }: RefreshDecision & { do: 'repeat' },
  { keyring }: Ports,
): ReturnType<typeof rotate> {
  const { grant, token, now } = turn;
  const used = afterUse(turn, spent);
  const minted = sameRefreshToken(token, grant, keyring);
  const outcome = accept({ grant: used, minted, now, isOfSibling: !spent.isRetry });
  const events = useEvents(turn, spent, used);
  // A row may be read before it is durable: this answer waits for a commit of its own.
  return { outcome, events, ...((used !== grant || events.length === 0) && { next: used }) };
}

/** The row as it was when the token was current, as far as a rotation reads it. */
function atGeneration({ grant }: Turn, generation: number): Grant {
  return { ...grant, pair: { ...grant.pair, generation } };
}

function afterUse({ grant, presenter, now }: Turn, spent: Spent | undefined): Grant {
  return spent?.sibling === 'in-window' ? withProgram(grant, presenter, now) : grant;
}

/** One for each retry, and one for each new program in the window. It names both presenters; an unexpected one raises an alarm. */
function useEvents(turn: Turn, { isRetry, sibling }: Spent, used: Grant): readonly Event[] {
  const { grant, presenter } = turn;
  const first = grant.pair.presenter;
  const alarm = sibling ? used !== grant : !isSamePresenter(first, presenter);
  const detail = { firstAddress: first.address, firstAgent: first.agent, alarm };
  return isRetry || alarm ? [{ type: 'retried', ...eventFacts(turn), detail }] : [];
}

/** Only reuse and a rolled-back store end a grant. No other refusal changes anything. */
function end(turn: Turn, { why, refusal }: RefreshDecision & { do: 'end' }): Decision<Grant, Outcome<DecidedPair>> {
  const { grant, now } = turn;
  const revoked: Event = { type: 'revoked', ...eventFacts(turn), detail: ended(grant, why) };
  const reused: Event = { type: 'reused', ...eventFacts(turn), detail: { ended: true } };
  const events = why === 'reuse' ? [reused, revoked] : [revoked];
  return { outcome: refusedTo(grant.identityId, refusal), next: revoke(grant, now, why), events };
}

function eventFacts({ grant, presenter, requestId, now }: Turn) {
  const { id: subjectId, clientId, identityId } = grant;
  return { at: now, clientId, identityId, subjectId, presenter, requestId };
}
