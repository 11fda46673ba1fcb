// The authsvc dialect: the operations of spec.md, worded for callers written against it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import { readTokenRequest, type TokenWish } from '../../core/rules/token-request.ts';
import { authorizeCertificate } from '../../operations/authorize-certificate.ts';
import { checkToken } from '../../operations/check-token.ts';
import type { Ports } from '../../operations/ports.ts';
import { redeemDevice } from '../../operations/redeem-device.ts';
import { refreshTokens } from '../../operations/refresh-tokens.ts';
import { revokeByToken } from '../../operations/revoke-grant.ts';
import { startDevice } from '../../operations/start-device.ts';
import type { TokenPair } from '../../operations/token-pair.ts';
import { bearerToken } from '../bearer.ts';
import type { ReadConnection } from '../connection.ts';
import { type BodyForm, bodyForm, readParameters } from '../parameters.ts';
import { storyOf } from '../story.ts';
import { deviceGrant, type ErrorKeys, tokenGrant, verifiedToken } from './answers.ts';
import { answer, answerRefusal } from './reply.ts';
import { ScopeParameters, TokenParameters } from './schemas.ts';
import { bearerWording, WORDING } from './wording.ts';

export interface AuthsvcDoor {
  readonly mount: string;
  readonly errorKeys: ErrorKeys;
  /** Where people confirm: made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: Ports;
  readonly readConnection: ReadConnection;
  readonly certifiedCaller: (request: FastifyRequest) => Promise<Outcome<CertifiedCaller>>;
  /** What to say to a caller that is over a limit, if this one is. */
  readonly overLimit: (request: FastifyRequest, clientId: string | undefined) => Refusal | undefined;
}

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
    handle: authorizeToken,
    wording: wordRefusal,
  },
  {
    operation: 'authorize-certificate',
    method: 'POST',
    path: '/Authorize/Certificate',
    handle: certificate,
    wording: wordRefusal,
  },
  { operation: 'authorize-device', method: 'POST', path: '/Authorize/Device', handle: device, wording: wordRefusal },
  { operation: 'verify', method: 'GET', path: '/Authorize/Verify', handle: verify, wording: bearerWording },
  { operation: 'revoke', method: 'GET', path: '/Revoke/Token', handle: revoke, wording: bearerWording },
];

export function hangAuthsvc(app: FastifyInstance, door: AuthsvcDoor): void {
  for (const { operation, method, path, handle, wording } of ROUTES) {
    app.route({
      method,
      url: door.mount + path,
      handler: async (request, reply): Promise<FastifyReply> => {
        storyOf(request).operation = operation;
        const outcome = await handle(request, door);
        if (outcome.ok) return answer(reply, 200, outcome.value);
        return answerRefusal(request, reply, outcome.refusal, wording(outcome.refusal.reason), door.errorKeys);
      },
    });
  }
}

async function authorizeToken(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const form = bodyForm(request.headers['content-type']);
  if (!form) return refuse('content-type-unsupported');
  const parameters = readParameters<TokenParameters>(request.body, form, TokenParameters);
  if (!parameters.ok) return parameters;
  const {
    client_id: clientId,
    grant_type: grantType,
    device_code: deviceCode,
    refresh_token: refreshToken,
  } = parameters.value;
  tellClient(request, clientId, door);
  const wish = readTokenRequest({ clientId, grantType, deviceCode, refreshToken });
  if (!wish.ok) return wish;
  const pair = await obtainPair(wish.value, form, request, door);
  return pair.ok ? accept(tokenGrant(told(request, pair.value), { withIdentity: false })) : pair;
}

async function obtainPair(
  wish: TokenWish,
  form: BodyForm,
  request: FastifyRequest,
  door: AuthsvcDoor,
): Promise<Outcome<TokenPair>> {
  const { presenter } = door.readConnection(request);
  const overLimit = door.overLimit(request, wish.clientId);
  storyOf(request).operation = wish.kind;
  switch (wish.kind) {
    case 'redeem':
      return redeemDevice({ ...wish, presenter, overLimit }, door.ports);
    case 'refresh':
      // spec 4.1: a form is for the device_code exchange alone
      if (form === 'form') return refuse('refresh-by-form');
      return refreshTokens(
        { ...wish, presenter, overLimit, certifiedCaller: () => door.certifiedCaller(request) },
        door.ports,
      );
  }
}

async function certificate(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  if (bodyForm(request.headers['content-type']) !== 'json') return refuse('content-type-unsupported');
  const parameters = readParameters<ScopeParameters>(request.body, 'json', ScopeParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, scope } = parameters.value;
  tellClient(request, clientId, door);
  const limited = door.overLimit(request, clientId);
  if (limited) return { ok: false, refusal: limited };
  const { presenter } = door.readConnection(request);
  const pair = await authorizeCertificate(
    { clientId, scope, presenter, certifiedCaller: () => door.certifiedCaller(request) },
    door.ports,
  );
  return pair.ok ? accept(tokenGrant(told(request, pair.value), { withIdentity: true })) : pair;
}

async function device(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const form = bodyForm(request.headers['content-type']);
  if (!form) return refuse('content-type-unsupported');
  const parameters = readParameters<ScopeParameters>(request.body, form, ScopeParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, scope } = parameters.value;
  tellClient(request, clientId, door);
  const limited = door.overLimit(request, clientId);
  if (limited) return { ok: false, refusal: limited };
  const started = await startDevice({ clientId, scope, presenter: door.readConnection(request).presenter }, door.ports);
  return started.ok ? accept(deviceGrant(started.value, door.verificationUri)) : started;
}

async function verify(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const limited = door.overLimit(request, undefined);
  if (limited) return { ok: false, refusal: limited };
  const checked = await checkToken(token.value, door.ports);
  if (!checked.ok) return checked;
  Object.assign(storyOf(request), {
    clientId: checked.value.grant.clientId,
    identityId: checked.value.holder.id,
    grantId: checked.value.grant.id,
  });
  return accept(verifiedToken(checked.value));
}

async function revoke(request: FastifyRequest, door: AuthsvcDoor): Promise<Outcome<object>> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const revoked = await revokeByToken(token.value, door.readConnection(request).presenter, door.ports);
  if (!revoked.ok) return revoked;
  Object.assign(storyOf(request), {
    clientId: revoked.value.clientId,
    identityId: revoked.value.identityId,
    grantId: revoked.value.id,
  });
  return accept({});
}

// A token put in the wrong place is longer than this or begins like this; a mistyped client_id is neither.
const SHOWN_LENGTH = 64;
const TOKEN_LIKE = /ts[ard]_/;

/** The log says which integration was named; one that is not known, unless the text may be a secret. */
function tellClient(request: FastifyRequest, clientId: string | undefined, { ports }: AuthsvcDoor): void {
  if (!clientId) return;
  const isHarmless = clientId.length <= SHOWN_LENGTH && !TOKEN_LIKE.test(clientId);
  const isShown = isHarmless || ports.registry.integration(clientId) !== undefined;
  storyOf(request).clientId = isShown ? clientId.replace(/[^\u0021-\u007e]/g, '?') : '[not shown]';
}

function told(request: FastifyRequest, pair: TokenPair): TokenPair {
  Object.assign(storyOf(request), { identityId: pair.identityId, grantId: pair.grantId });
  return pair;
}
