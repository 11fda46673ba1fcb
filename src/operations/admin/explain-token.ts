// The dry run of a token: what the service would say if it were presented now. The same operations decide as for a request;
// nothing is written, and nothing secret is returned.
import { type Grant, grantState, guestOf } from '../../core/grant.ts';
import type { Outcome } from '../../core/outcome.ts';
import { presenter } from '../../core/presenter.ts';
import type { Standing } from '../../core/rules/refresh.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { Store } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants } from '../../store/tables/grants.ts';
import { standingOf } from '../../tokens/opaque/pair.ts';
import { parseCode, parseRefreshToken } from '../../tokens/opaque/token-text.ts';
import { redeemDevice } from '../device/redeem-device.ts';
import { checkToken } from '../grant/check-token.ts';
import { refreshTokens } from '../grant/refresh-tokens.ts';
import type { CallerPorts } from '../ports.ts';

const NOBODY = presenter('127.0.0.1', 'tessera explain');

export interface TokenExplanation {
  /** The operation that takes such a token, as the log names it. */
  readonly operation: 'verify' | 'refresh' | 'redeem';
  /** Undefined if it would be accepted. */
  readonly refusal?: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

export async function explainToken(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  const dry = { ...ports, store: withoutCommits(ports.store) };
  if (text.startsWith('tsr_')) return explainRefreshToken(text, dry);
  if (text.startsWith('tsd_')) return explainDeviceCode(text, dry);
  const checked = await checkToken(text, dry);
  return {
    operation: 'verify',
    ...refusalOf(checked),
    facts: checked.ok
      ? { scope: checked.value.scope.text, ...factsOf(checked.value.grant, await dry.store.now()) }
      : {},
  };
}

async function explainRefreshToken(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  const token = parseRefreshToken(text, ports.keyring);
  const { found, now } = token ? await ports.store.load(grants, token.grantId) : { found: undefined, now: undefined };
  const request = { presenter: NOBODY, presented: { by: 'nothing' }, requestId: 'explain' } as const;
  const clientId = found?.row.clientId ?? ports.registry.integrations[0]?.clientId ?? '';
  const guest = found && guestOf(found.row);
  const proven = { isAuthenticated: true, jkt: found?.row.terms?.jkt };
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
  'last-spent': 'spent by the last refresh; a retry within the window gets the same pair',
  spent: 'spent by an earlier refresh',
  ahead: 'newer than the store',
  foreign: 'made with a key of this service, but not for its grant',
};

async function explainDeviceCode(text: string, ports: CallerPorts): Promise<TokenExplanation> {
  const code = parseCode('device', text, ports.keyring);
  const found = code && (await ports.store.load(devices, code.deviceId)).found;
  const clientId = found?.row.clientId ?? ports.registry.integrations[0]?.clientId ?? '';
  const outcome = await redeemDevice({ clientId, deviceCode: text, presenter: NOBODY }, ports);
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

/** Decides as `change` does, and commits nothing. */
function withoutCommits(store: Store): Store {
  return {
    ...store,
    change: async (table, key, decide) => {
      const { found, now } = await store.load(table, key);
      return decide(found, now).outcome;
    },
  };
}
