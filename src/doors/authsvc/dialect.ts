// The routes of the authsvc door: one per operation of docs/contract.md.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { redeemDevice } from '../../operations/device/redeem-device.ts';
import { startDevice } from '../../operations/device/start-device.ts';
import { authorizeCertificate } from '../../operations/grant/authorize-certificate.ts';
import { checkToken } from '../../operations/grant/check-token.ts';
import { refreshTokens } from '../../operations/grant/refresh-tokens.ts';
import { revokeByToken } from '../../operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { bearerToken } from '../caller/bearer.ts';
import { replyJson } from '../server/refusal-replies.ts';
import { storyOf } from '../server/story.ts';
import { recordGrant, recordPair } from '../token/request-story.ts';
import { deviceGrant, tokenGrant, verifiedToken } from './answers.ts';
import type { AuthsvcMount } from './mount.ts';
import { type ParsedTokenRequest, parseScopeRequest, parseTokenRequest } from './read-request.ts';
import { replyAuthsvcRefusal } from './reply.ts';
import { type AuthsvcReason, bearerWording, WORDING } from './wording.ts';

type AuthsvcOutcome<T = object> = Outcome<T, Refusal<AuthsvcReason>>;
type Handle = (request: FastifyRequest, mount: AuthsvcMount) => Promise<AuthsvcOutcome>;

export type AuthsvcOperation = 'authorize-token' | 'authorize-certificate' | 'authorize-device' | 'verify' | 'revoke';

interface Route {
  readonly operation: AuthsvcOperation;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: Handle;
  readonly wording: typeof bearerWording;
}

const wordRefusal: typeof bearerWording = (reason) => WORDING[reason];

export const ROUTES: readonly Route[] = [
  {
    operation: 'authorize-token',
    method: 'POST',
    path: '/Authorize/Token',
    handle: authorizeByToken,
    wording: wordRefusal,
  },
  {
    operation: 'authorize-certificate',
    method: 'POST',
    path: '/Authorize/Certificate',
    handle: authorizeByCertificate,
    wording: wordRefusal,
  },
  {
    operation: 'authorize-device',
    method: 'POST',
    path: '/Authorize/Device',
    handle: authorizeDevice,
    wording: wordRefusal,
  },
  { operation: 'verify', method: 'GET', path: '/Authorize/Verify', handle: verifyToken, wording: bearerWording },
  { operation: 'revoke', method: 'GET', path: '/Revoke/Token', handle: revokeToken, wording: bearerWording },
];

export function mountAuthsvc(app: FastifyInstance, mount: AuthsvcMount): void {
  for (const { operation, method, path, handle, wording } of ROUTES) {
    app.route({
      method,
      url: mount.path + path,
      // Returns nothing: a reply has a `then`, and returning it would await it once more.
      handler: async (request, reply): Promise<void> => {
        storyOf(request).operation = operation;
        const outcome = await handle(request, mount);
        if (outcome.ok) replyJson(reply, 200, JSON.stringify(outcome.value));
        else replyAuthsvcRefusal(request, reply, outcome.refusal, wording(outcome.refusal.reason), mount.errorKeys);
      },
    });
  }
}

async function authorizeByToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const read = parseTokenRequest(request, mount);
  if (!read.ok) return read;
  return wordPair(await obtainPair(read.value, request, mount), request, { withIdentity: false });
}

function obtainPair(
  { asked, form }: ParsedTokenRequest,
  request: FastifyRequest,
  mount: AuthsvcMount,
): Promise<AuthsvcOutcome<TokenPair>> {
  const { clientId } = asked;
  const { presenter } = mount.readConnection(request);
  const byAddress = mount.overLimit(request);
  const overLimit = () => byAddress ?? mount.overIntegrationLimit(clientId, 'grants');
  storyOf(request).operation = asked.kind;
  switch (asked.kind) {
    case 'redeem':
      return redeemDevice({ clientId, deviceCode: asked.deviceCode, presenter, overLimit }, mount.ports);
    case 'refresh':
      // Contract 4.1: only a device code may be sent as a form.
      if (form === 'form') return Promise.resolve(refuse('refresh-by-form'));
      return refreshTokens(
        {
          clientId,
          refreshToken: asked.refreshToken,
          presenter,
          overLimit,
          presented: mount.readPresented(request),
          requestId: request.id,
        },
        mount.ports,
      );
  }
}

async function authorizeByCertificate(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(request, mount, ['json']);
  if (!asked.ok) return asked;
  const presented = mount.readPresented(request);
  const overLimit = (clientId: string) => mount.overIntegrationLimit(clientId, 'grants');
  const pair = await authorizeCertificate({ ...asked.value, presented, requestId: request.id, overLimit }, mount.ports);
  return wordPair(pair, request, { withIdentity: true });
}

function wordPair(
  pair: AuthsvcOutcome<TokenPair>,
  request: FastifyRequest,
  parts: { readonly withIdentity: boolean },
): AuthsvcOutcome {
  if (!pair.ok) return pair;
  recordPair(request, pair.value);
  return accept(tokenGrant(pair.value, parts));
}

async function authorizeDevice(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(request, mount, ['json', 'form']);
  if (!asked.ok) return asked;
  const limited = asked.value.clientId ? mount.overIntegrationLimit(asked.value.clientId, 'devices') : undefined;
  if (limited) return refused(limited);
  const started = await startDevice(asked.value, mount.ports);
  return started.ok ? accept(deviceGrant(started.value, mount.verificationUri)) : started;
}

async function verifyToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const limited = mount.overLimit(request);
  if (limited) return refused(limited);
  const checked = await checkToken(token.value, mount.ports);
  if (!checked.ok) return checked;
  recordGrant(request, checked.value.grant);
  return accept(verifiedToken(checked.value));
}

/** Not rate limited: revoking can only reduce power. */
async function revokeToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const revoked = await revokeByToken(token.value, mount.readConnection(request).presenter, mount.ports);
  if (!revoked.ok) return revoked;
  recordGrant(request, revoked.value);
  return accept({});
}
