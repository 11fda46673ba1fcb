// Parses the bodies of requests.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import { readTokenRequest, type TokenRequest } from '../../core/rules/token-request.ts';
import type { TokenReason } from '../token/descriptions.ts';
import { grantTypeOf } from '../token/grant-type.ts';
import { type ScopeRequest, scopeRequest } from '../token/obtain.ts';
import { type BodyForm, formOf, readParameters } from '../token/parameters.ts';
import { recordIntegration } from '../token/request-story.ts';
import type { AuthsvcMount } from './mount.ts';
import { ScopeParameters, TokenParameters } from './schemas.ts';

const EITHER_FORM: readonly BodyForm[] = ['json', 'form'];

/** A request for a scope, from a caller within its limits. */
export function parseScopeRequest(
  request: FastifyRequest,
  mount: AuthsvcMount,
  forms: readonly BodyForm[],
): Outcome<ScopeRequest, Refusal<TokenReason>> {
  const form = formOf(request.headers['content-type'], forms);
  if (!form.ok) return form;
  const parameters = readParameters<ScopeParameters>(request.body, form.value, ScopeParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, scope } = parameters.value;
  return scopeRequest({ clientId, scope, isPlain: true }, request, mount);
}

export interface ParsedTokenRequest {
  readonly asked: TokenRequest;
  readonly form: BodyForm;
}

export function parseTokenRequest(
  request: FastifyRequest,
  mount: AuthsvcMount,
): Outcome<ParsedTokenRequest, Refusal<TokenReason>> {
  const form = formOf(request.headers['content-type'], EITHER_FORM);
  if (!form.ok) return form;
  const parameters = readParameters<TokenParameters>(request.body, form.value, TokenParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, device_code: deviceCode, refresh_token: refreshToken } = parameters.value;
  recordIntegration(request, clientId, mount.ports);
  const grantType = grantTypeOf(parameters.value.grant_type);
  const asked = readTokenRequest({ clientId, grantType, deviceCode, refreshToken });
  return asked.ok ? accept({ asked: asked.value, form: form.value }) : asked;
}
