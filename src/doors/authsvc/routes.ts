// The routes of the authsvc door: one per operation of docs/contract.md.
import type { FastifyInstance } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { AuthsvcReason, Refusal } from '../../core/refusal.ts';
import { hasOpaqueItems } from '../../core/scope.ts';
import { checkToken } from '../../operations/grant/check-token.ts';
import { revokeByToken } from '../../operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { bearerToken } from '../caller/bearer.ts';
import { answerJson } from '../http/answers.ts';
import { Call, type TokenMount } from '../token/call.ts';
import { obtainByCertificate, obtainDevice, obtainPair } from '../token/obtain.ts';
import { deviceGrant, tokenGrantText, verifiedTokenText } from './answers.ts';
import { type ParsedTokenRequest, parseScopeRequest, parseTokenRequest } from './read-request.ts';
import { replyAuthsvcRefusal } from './reply.ts';
import type { ErrorKeys } from './schemas.ts';
import { bearerWording, wordingOf } from './wording.ts';

type AuthsvcOutcome<T = string> = Outcome<T, Refusal<AuthsvcReason>>;
/** An accepted outcome is the answer as JSON text. */
type Handle = (call: Call) => Promise<AuthsvcOutcome>;

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

export function mountAuthsvc(app: FastifyInstance, mount: TokenMount & { readonly errorKeys: ErrorKeys }): void {
  for (const { operation, method, path, handle } of ROUTES) {
    const wording = method === 'GET' ? bearerWording : wordingOf;
    app.route({
      method,
      url: mount.path + path,
      // Returns nothing: a reply has a `then`, and returning it would await it once more.
      handler: async (request, reply): Promise<void> => {
        const call = new Call(request, mount);
        call.record.operation = operation;
        const outcome = call.chargeUnusable(await handle(call));
        if (outcome.ok) answerJson(reply, outcome.value);
        else replyAuthsvcRefusal(reply, outcome.refusal, wording(outcome.refusal.reason), mount.errorKeys);
      },
    });
  }
}

async function authorizeByToken(call: Call): Promise<AuthsvcOutcome> {
  const read = parseTokenRequest(call);
  if (!read.ok) return read;
  return wordPair(await obtainAuthsvcPair(read.value, call), call, { withIdentity: false });
}

function obtainAuthsvcPair({ asked, form }: ParsedTokenRequest, call: Call): Promise<AuthsvcOutcome<TokenPair>> {
  if (asked.kind !== 'refresh' || form !== 'form') return obtainPair(asked, call);
  // Contract 4.1: only a device code may be sent as a form. The request counts against the limit of its address.
  call.overLimit();
  call.record.operation = asked.kind;
  return Promise.resolve(refuse('refresh-by-form'));
}

async function authorizeByCertificate(call: Call): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(call, ['json']);
  if (!asked.ok) return asked;
  return wordPair(await obtainByCertificate(asked.value, call), call, { withIdentity: true });
}

function wordPair(
  pair: AuthsvcOutcome<TokenPair>,
  call: Call,
  parts: { readonly withIdentity: boolean },
): AuthsvcOutcome {
  if (!pair.ok) return pair;
  call.recordPair(pair.value);
  return accept(tokenGrantText(pair.value, parts));
}

async function authorizeDevice(call: Call): Promise<AuthsvcOutcome> {
  const asked = parseScopeRequest(call, ['json', 'form']);
  if (!asked.ok) return asked;
  const started = await obtainDevice(asked.value, call);
  return started.ok ? accept(JSON.stringify(deviceGrant(started.value, call.mount.verificationUri))) : started;
}

async function verifyToken(call: Call): Promise<AuthsvcOutcome> {
  const { request, mount } = call;
  const token = bearerToken(request);
  if (!token.ok) return token;
  const overLimit = (isAuthentic: boolean) => (isAuthentic ? mount.overCheckLimit : mount.overLimit)(request);
  const checked = await checkToken(token.value, mount.ports, overLimit);
  if (!checked.ok) return checked;
  // The contract has no words for a token that needs a DPoP proof, nor for opaque scope items.
  const { jkt, scope } = checked.value;
  if (jkt !== undefined || hasOpaqueItems(scope.text)) return refuse('grant-of-oauth-door');
  call.recordGrant(checked.value.grant);
  return accept(verifiedTokenText(checked.value));
}

async function revokeToken(call: Call): Promise<AuthsvcOutcome> {
  const token = bearerToken(call.request);
  if (!token.ok) return token;
  const revoked = await revokeByToken(token.value, call.presenter, call.ports, () => call.overLimit());
  if (!revoked.ok) return revoked;
  call.recordGrant(revoked.value);
  return accept('{}');
}
