import type { Event } from '../../core/event.ts';
import { accessTokenExpiry, type Grant, grantTime, revoke } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import { isSamePresenter, type Presenter } from '../../core/presenter.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import { askToRefresh, decideRefresh, type RefreshDecision, type RefreshFacts } from '../../core/rules/refresh.ts';
import type { Settings } from '../../core/settings.ts';
import { type EpochSeconds, seconds } from '../../core/time.ts';
import type { Decision } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import { NONCE_LENGTH, nextRefreshToken, sameRefreshToken, standingOf } from '../../tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../tokens/opaque/token-text.ts';
import type { Ports } from '../ports.ts';
import { refuseToGuess } from './missing-key.ts';
import { type TokenPair, tokenPair } from './token-pair.ts';

export interface RefreshRequest {
  readonly clientId: string;
  readonly refreshToken: string;
  readonly presenter: Presenter;
  /** The caller is over a limit: the credential is only looked at, so that a dead one is told as such and not to wait. */
  readonly overLimit?: () => Refusal | undefined;
  /** Who the connection's certificate says is calling; asked only where the integration binds refreshes to it. */
  readonly certifiedCaller: () => Promise<Outcome<CertifiedCaller>>;
}

/** Rotates the pair, repeats it for a retry, or ends the grant for a reuse: rules/refresh.ts decides which. */
export async function refreshTokens(request: RefreshRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const parsed = parseRefreshToken(request.refreshToken, ports.keyring);
  const asked = askToRefresh(ports.registry.integration(request.clientId), parsed);
  if (!asked.ok) {
    if (asked.refusal.reason === 'refresh-token-not-authentic') await refuseToGuess(request.refreshToken, ports);
    return asked;
  }
  const caller = asked.value.integration.binding === 'none' ? undefined : await request.certifiedCaller();
  const outcome = await change(request, { ...asked.value, caller, outage: 'not-loaded' }, ports);
  if (outcome !== 'load-outage') return outcome;
  const { found } = await ports.store.load(serviceTimes, SERVICE);
  const informed = await change(request, { ...asked.value, caller, outage: found?.row.outage }, ports);
  if (informed === 'load-outage') throw new Error('the outage was loaded, and the rule asks for it again');
  return informed;
}

interface Asked extends Pick<RefreshFacts, 'integration' | 'outage'> {
  readonly token: RefreshToken;
  readonly caller: Outcome<CertifiedCaller> | undefined;
}

type Answer = Outcome<TokenPair> | 'load-outage';

function change(request: RefreshRequest, { integration, token, caller, outage }: Asked, ports: Ports): Promise<Answer> {
  const certificate = caller?.ok ? { mark: caller.value.mark, identityId: caller.value.identity.id } : undefined;
  const overLimit = request.overLimit?.();
  const nonce = ports.random(NONCE_LENGTH).toString('hex') as Hex;
  return ports.store.change(grants, token.grantId, (found, clock): Decision<Grant, Answer> => {
    if (!found) return { outcome: refuse('grant-unknown') };
    const { row: grant, companion: holder } = found;
    const now = grantTime(grant, clock);
    const standing = () => standingOf(token, grant, ports.keyring);
    const { settings } = ports;
    const decision = decideRefresh({ integration, grant, standing, holder, certificate, settings, outage, now });
    if (decision.do === 'load-outage') return { outcome: decision.do };
    if (overLimit && decision.do !== 'refuse') return { outcome: refused(overLimit) };
    if (decision.do === 'refuse' && isPassing(decision, caller))
      return { outcome: refuse('revocation-unavailable', SHORTLY) };
    const turn = { grant, token, presenter: request.presenter, now };
    switch (decision.do) {
      case 'rotate':
        return rotate(turn, nonce, decision.settings, ports);
      case 'repeat':
        return repeat(turn, ports);
      case 'refuse':
        return end(turn, decision);
    }
  });
}

interface Turn {
  readonly grant: Grant;
  readonly token: RefreshToken;
  readonly presenter: Presenter;
  readonly now: EpochSeconds;
}

function rotate(
  { grant, token, presenter, now }: Turn,
  nonce: Hex,
  settings: Settings,
  ports: Ports,
): Decision<Grant, Outcome<TokenPair>> {
  const key = ports.keyring.minting;
  const expiresAt = accessTokenExpiry(grant, now, settings);
  const minted = nextRefreshToken(token, nonce, key);
  const { refreshHash } = minted;
  const generation = grant.pair.generation + 1;
  const next: Grant = {
    ...grant,
    pair: { generation, keyId: key.id, refreshHash, nonce, issuedAt: now, expiresAt, presenter },
  };
  // No identity: the event of a refresh is one row at the end of a table, in no index (the grant leads to its holder).
  const event: Event = { type: 'refreshed', at: now, clientId: grant.clientId, subjectId: grant.id, presenter };
  return { outcome: accept(tokenPair(next, minted, now, ports.keyring)), next, events: [event] };
}

/** The grant is left as it is; the event carries both presenters, and differing ones are worth an alarm. */
function repeat({ grant, token, presenter, now }: Turn, ports: Ports): Decision<Grant, Outcome<TokenPair>> {
  const first = grant.pair.presenter;
  const detail = { firstAddress: first.address, firstAgent: first.agent, alarm: !isSamePresenter(first, presenter) };
  const minted = sameRefreshToken(token, grant, ports.keyring);
  const outcome = accept(tokenPair(grant, minted, now, ports.keyring));
  return { outcome, events: [eventOf('retried', grant, { presenter, now }, detail)] };
}

/** Only reuse, and a store that was rolled back, end a grant. No other refusal changes anything. */
function end(
  { grant, presenter, now }: Turn,
  decision: RefreshDecision & { do: 'refuse' },
): Decision<Grant, Outcome<TokenPair>> {
  const outcome = refused(decision.refusal);
  if (!decision.reuse && !decision.end) return { outcome };
  const told = decision.reuse
    ? [eventOf('reused', grant, { presenter, now }, { ended: decision.end !== undefined })]
    : [];
  if (!decision.end) return { outcome, events: told };
  const ended = eventOf('revoked', grant, { presenter, now }, { reason: decision.end });
  return { outcome, next: revoke(grant, now, decision.end), events: [...told, ended] };
}

function eventOf(
  type: Event['type'],
  grant: Grant,
  { presenter, now }: Pick<Turn, 'presenter' | 'now'>,
  detail: Event['detail'],
): Event {
  const { id: subjectId, clientId, identityId } = grant;
  return { type, at: now, clientId, identityId, subjectId, presenter, ...(detail && { detail }) };
}

const SHORTLY = { retryAfter: seconds(5) };

/** The certificate is there, and only its revocation could not be looked up: no reason to take the grant for dead. */
function isPassing({ refusal }: { readonly refusal: Refusal }, caller: Outcome<CertifiedCaller> | undefined): boolean {
  const isUnknown = caller?.ok === false && caller.refusal.reason === 'certificate-revocation-unknown';
  return isUnknown && refusal.reason === 'certificate-binding-unmet';
}
