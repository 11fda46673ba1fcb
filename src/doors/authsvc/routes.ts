// The routes of the authsvc door: one per operation of docs/contract.md.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { hasOpaqueItems } from '../../core/scope.ts';
import { checkToken } from '../../operations/grant/check-token.ts';
import { revokeByToken } from '../../operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { portsOfRequest } from '../../operations/request-ports.ts';
import { bearerToken } from '../caller/bearer.ts';
import { answerJson } from '../http/answers.ts';
import { storyOf } from '../http/story.ts';
import { chargeUnusable } from '../token/limits.ts';
import { obtainByCertificate, obtainDevice, obtainPair } from '../token/obtain.ts';
import { recordGrant, recordPair } from '../token/request-story.ts';
import { deviceGrant, tokenGrantText, verifiedTokenText } from './answers.ts';
import type { AuthsvcMount } from './mount.ts';
import { type ParsedTokenRequest, parseScopeRequest, parseTokenRequest } from './read-request.ts';
import { replyAuthsvcRefusal } from './reply.ts';
import { type AuthsvcReason, bearerWording, WORDING } from './wording.ts';

type AuthsvcOutcome<T = string> = Outcome<T, Refusal<AuthsvcReason>>;
/** An accepted outcome is the answer as JSON text. */
type Handle = (request: FastifyRequest, mount: AuthsvcMount) => Promise<AuthsvcOutcome>;

export type AuthsvcOperation = 'authorize-token' | 'authorize-certificate' | 'authorize-device' | 'verify' | 'revoke';

interface Route {
  readonly operation: AuthsvcOperation;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: Handle;
}

export const ROUTES: readonly Route[] = [
  { operation: 'authorize-token', method: 'POST', path: '/Authorize/Token', handle: authorizeByToken },
  {
    operation: 'authorize-certificate',
    method: 'POST',
    path: '/Authorize/Certificate',
    handle: authorizeByCertificate,
  },
  { operation: 'authorize-device', method: 'POST', path: '/Authorize/Device', handle: authorizeDevice },
  { operation: 'verify', method: 'GET', path: '/Authorize/Verify', handle: verifyToken },
  { operation: 'revoke', method: 'GET', path: '/Revoke/Token', handle: revokeToken },
];

const wordRefusal: typeof bearerWording = (reason) => WORDING[reason];

export function mountAuthsvc(app: FastifyInstance, mount: AuthsvcMount): void {
  for (const { operation, method, path, handle } of ROUTES) {
    const wording = method === 'GET' ? bearerWording : wordRefusal;
    app.route({
      method,
      url: mount.path + path,
      // Returns nothing: a reply has a `then`, and returning it would await it once more.
      handler: async (request, reply): Promise<void> => {
        storyOf(request).operation = operation;
        const outcome = chargeUnusable(await handle(request, mount), request, mount);
        if (outcome.ok) answerJson(reply, outcome.value);
        else replyAuthsvcRefusal(request, reply, outcome.refusal, wording(outcome.refusal.reason), mount.errorKeys);
      },
    });
  }
}

async function authorizeByToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const read = parseTokenRequest(request, mount);
  if (!read.ok) return read;
  return wordPair(await obtainAuthsvcPair(read.value, request, mount), request, { withIdentity: false });
}

function obtainAuthsvcPair(
  { asked, form }: ParsedTokenRequest,
  request: FastifyRequest,
  mount: AuthsvcMount,
): Promise<AuthsvcOutcome<TokenPair>> {
  if (asked.kind !== 'refresh' || form !== 'form') return obtainPair(asked, request, mount);
  // Contract 4.1: only a device code may be sent as a form. The request counts against the limit of its address.
  mount.overLimit(request);
  storyOf(request).operation = asked.kind;
  return Promise.resolve(refuse('refresh-by-form'));
}

async function authorizeByCertificate(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(request, mount, ['json']);
  if (!asked.ok) return asked;
  const pair = await obtainByCertificate(asked.value, request, mount);
  return wordPair(pair, request, { withIdentity: true });
}

function wordPair(
  pair: AuthsvcOutcome<TokenPair>,
  request: FastifyRequest,
  parts: { readonly withIdentity: boolean },
): AuthsvcOutcome {
  if (!pair.ok) return pair;
  recordPair(request, pair.value);
  return accept(tokenGrantText(pair.value, parts));
}

async function authorizeDevice(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(request, mount, ['json', 'form']);
  if (!asked.ok) return asked;
  const started = await obtainDevice(asked.value, request, mount);
  return started.ok ? accept(JSON.stringify(deviceGrant(started.value, mount.verificationUri))) : started;
}

async function verifyToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const overLimit = (isAuthentic: boolean) => (isAuthentic ? mount.overCheckLimit : mount.overLimit)(request);
  const checked = await checkToken(token.value, mount.ports, overLimit);
  if (!checked.ok) return checked;
  // The contract has no words for a token that needs a DPoP proof, nor for opaque scope items.
  const { jkt, scope } = checked.value;
  if (jkt !== undefined || hasOpaqueItems(scope.text)) return refuse('grant-of-oauth-door');
  recordGrant(request, checked.value.grant);
  return accept(verifiedTokenText(checked.value));
}

async function revokeToken(request: FastifyRequest, mount: AuthsvcMount): Promise<AuthsvcOutcome> {
  const token = bearerToken(request);
  if (!token.ok) return token;
  const { presenter } = mount.readConnection(request);
  const overLimit = () => mount.overLimit(request);
  const revoked = await revokeByToken(token.value, presenter, portsOfRequest(mount.ports, request.id), overLimit);
  if (!revoked.ok) return revoked;
  recordGrant(request, revoked.value);
  return accept('{}');
}
