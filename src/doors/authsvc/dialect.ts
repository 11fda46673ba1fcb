// The authsvc dialect: the operations of docs/contract.md, worded for callers written against it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import { redeemDevice } from '../../operations/device/redeem-device.ts';
import { startDevice } from '../../operations/device/start-device.ts';
import { authorizeCertificate } from '../../operations/grant/authorize-certificate.ts';
import { checkToken } from '../../operations/grant/check-token.ts';
import { refreshTokens } from '../../operations/grant/refresh-tokens.ts';
import { revokeByToken } from '../../operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { bearerToken } from '../caller/bearer.ts';
import { storyOf } from '../server/story.ts';
import { deviceGrant, tokenGrant, verifiedToken } from './answers.ts';
import type { AuthsvcDoor } from './door.ts';
import { readScopeWish, readTokenWish, type TokenWishRead } from './read-request.ts';
import { answer, answerRefusal } from './reply.ts';
import { tellGrant, tellPair } from './tell.ts';
import { bearerWording, WORDING } from './wording.ts';

type Handle = (request: FastifyRequest, door: AuthsvcDoor) => Promise<Outcome<object>>;

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

export function hangAuthsvc(app: FastifyInstance, door: AuthsvcDoor): void {
  for (const { operation, method, path, handle, wording } of ROUTES) {
    app.route({
      method,
      url: door.mount + path,
      // Returns nothing: a reply has a `then` of its own, and would be awaited once more.
      handler: async (request, reply): Promise<void> => {
        storyOf(request).operation = operation;
        const outcome = await handle(request, door);
        if (outcome.ok) answer(reply, 200, outcome.value);
        else answerRefusal(request, reply, outcome.refusal, wording(outcome.refusal.reason), door.errorKeys);
      },
    });
  }
}

async function authorizeByToken(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const read = readTokenWish(request, door);
  if (!read.ok) return read;
  return wordPair(await obtainPair(read.value, request, door), request, { withIdentity: false });
}

function obtainPair(
  { wish, form }: TokenWishRead,
  request: FastifyRequest,
  door: AuthsvcDoor,
): Promise<Outcome<TokenPair>> {
  const { clientId } = wish;
  const { presenter } = door.readConnection(request);
  const byAddress = door.overLimit(request);
  const overLimit = () => byAddress ?? door.overIntegrationLimit(clientId, 'grants');
  storyOf(request).operation = wish.kind;
  switch (wish.kind) {
    case 'redeem':
      return redeemDevice({ clientId, deviceCode: wish.deviceCode, presenter, overLimit }, door.ports);
    case 'refresh':
      // contract 4.1: a form is for the device_code exchange alone
      if (form === 'form') return Promise.resolve(refuse('refresh-by-form'));
      return refreshTokens(
        {
          clientId,
          refreshToken: wish.refreshToken,
          presenter,
          overLimit,
          presented: door.readPresented(request),
          requestId: request.id,
        },
        door.ports,
      );
  }
}

async function authorizeByCertificate(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const wish = readScopeWish(request, door, ['json']);
  if (!wish.ok) return wish;
  const presented = door.readPresented(request);
  const overLimit = (clientId: string) => door.overIntegrationLimit(clientId, 'grants');
  const pair = await authorizeCertificate({ ...wish.value, presented, requestId: request.id, overLimit }, door.ports);
  return wordPair(pair, request, { withIdentity: true });
}

function wordPair(
  pair: Outcome<TokenPair>,
  request: FastifyRequest,
  parts: { readonly withIdentity: boolean },
): Outcome<object> {
  if (!pair.ok) return pair;
  tellPair(request, pair.value);
  return accept(tokenGrant(pair.value, parts));
}

async function authorizeDevice(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const wish = readScopeWish(request, door, ['json', 'form']);
  if (!wish.ok) return wish;
  const limited = wish.value.clientId ? door.overIntegrationLimit(wish.value.clientId, 'devices') : undefined;
  if (limited) return refused(limited);
  const started = await startDevice(wish.value, door.ports);
  return started.ok ? accept(deviceGrant(started.value, door.verificationUri)) : started;
}

async function verifyToken(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const limited = door.overLimit(request);
  if (limited) return refused(limited);
  const checked = await checkToken(token.value, door.ports);
  if (!checked.ok) return checked;
  tellGrant(request, checked.value.grant);
  return accept(verifiedToken(checked.value));
}

/** Under no limit: whoever revokes can only reduce power. */
async function revokeToken(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const revoked = await revokeByToken(token.value, door.readConnection(request).presenter, door.ports);
  if (!revoked.ok) return revoked;
  tellGrant(request, revoked.value);
  return accept({});
}
