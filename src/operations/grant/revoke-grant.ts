import type { Author } from '../../core/act.ts';
import type { ClientUrl } from '../../core/client-document.ts';
import { type Event, ended } from '../../core/event.ts';
import { type Grant, type GrantId, type RevocationReason, type RevokedGrant, revoke } from '../../core/grant.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { Refusal } from '../../core/refusal.ts';
import { decideRevoke, decideRevokeByIntegration } from '../../core/rules/access.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Decision, StorePort } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { type ReadAccessToken, readAccessToken } from '../../tokens/access-token.ts';
import { isRefreshTokenOf } from '../../tokens/opaque/pair.ts';
import { parseRefreshToken } from '../../tokens/opaque/token-text.ts';
import type { Ports } from '../ports.ts';
import { failIfKeyMissing } from './missing-key.ts';

/** Charged for tokens that are not authentic only: a revocation can only reduce power. */
type OverLimit = () => Refusal | undefined;

/** Ends the grant of an access token: tokens of every generation stop working at once, on every node. */
export async function revokeByToken(
  accessToken: string,
  presenter: Presenter,
  ports: Ports,
  overLimit?: OverLimit,
): Promise<Outcome<Grant>> {
  const token = readAccessToken(accessToken, ports);
  if (!token) {
    const limited = overLimit?.();
    if (limited) return refused(limited);
    await failIfKeyMissing(accessToken, ports);
    return refuse('access-token-not-authentic');
  }
  return ports.store.change(grants, token.grantId, (found, now): Decision<Grant, Outcome<Grant>> => {
    const grant = found && token.isOf(found.row) ? found.row : undefined;
    const decision = decideRevoke({ token, grant });
    if (!decision.ok) return { outcome: decision };
    const next = revoke(decision.value, now, 'by-caller');
    return { outcome: accept(next), next, events: [revokedEvent(next, now, { presenter })] };
  });
}

export interface RevokeRequest {
  readonly clientId: string;
  readonly guest?: ClientUrl | undefined;
  readonly isAuthenticated?: boolean | undefined;
  /** A refresh or access token of any generation. */
  readonly token: string;
  readonly presenter: Presenter;
  readonly overLimit?: OverLimit;
}

/** RFC 7009. The value is undefined if there was nothing left to end: that is a success too. */
export async function revokeByIntegration(request: RevokeRequest, ports: Ports): Promise<Outcome<Grant | undefined>> {
  const { registry } = ports;
  const token = readToken(request.token, ports);
  // Only an authentic token is worth a look in the store.
  const integration =
    registry.integration(request.clientId) ?? (token && (await registry.findIntegration(request.clientId)));
  const limited = token ? undefined : request.overLimit?.();
  if (limited) return refused(limited);
  const { isAuthenticated } = request;
  const first = decideRevokeByIntegration({ integration, isAuthenticated, token: undefined, grant: undefined });
  if (!first.ok) return first;
  if (!token) {
    await failIfKeyMissing(request.token, ports);
    return first;
  }
  return ports.store.change(grants, token.grantId, (found, now): Decision<Grant, Outcome<Grant | undefined>> => {
    const grant = found && token.isOf(found.row) ? found.row : undefined;
    const decision = decideRevokeByIntegration({
      integration,
      guest: request.guest,
      isAuthenticated,
      token: token.kind,
      grant,
    });
    if (!decision.ok || !decision.value) return { outcome: decision };
    const next = revoke(decision.value, now, 'by-caller');
    return { outcome: accept(next), next, events: [revokedEvent(next, now, request)] };
  });
}

interface ReadToken extends Pick<ReadAccessToken, 'grantId' | 'isOf'> {
  readonly kind: 'access' | 'refresh';
}

function readToken(text: string, ports: Ports): ReadToken | undefined {
  const access = readAccessToken(text, ports);
  if (access) return { kind: 'access', grantId: access.grantId, isOf: (grant) => access.isOf(grant) };
  const refresh = parseRefreshToken(text, ports.keyring);
  return refresh && { kind: 'refresh', grantId: refresh.grantId, isOf: (grant) => isRefreshTokenOf(refresh, grant) };
}

/** For revocations without a token. `by` is the author if that is an operator. */
export interface RevokePorts extends StorePort {
  readonly by?: Author;
}

/** Ends one grant by its id. False if there is no such grant or it was revoked before. */
export async function revokeById(id: GrantId, reason: RevocationReason, { store, by }: RevokePorts): Promise<boolean> {
  return store.change(grants, id, (found, now) => {
    if (!found || found.row.revoked) return { outcome: false };
    const next = revoke(found.row, now, reason);
    return { outcome: true, next, events: [revokedEvent(next, now, { by })] };
  });
}

interface Revoker {
  readonly presenter?: Presenter;
  readonly by?: Author | undefined;
}

function revokedEvent(grant: RevokedGrant, at: EpochSeconds, { presenter, by }: Revoker): Event {
  const { id: subjectId, clientId, identityId, revoked } = grant;
  const detail = ended(grant, revoked.reason, by);
  return { type: 'revoked', at, clientId, identityId, subjectId, detail, ...(presenter && { presenter }) };
}
