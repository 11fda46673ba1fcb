import { accept, type Outcome } from '../../core/outcome.ts';
import type { Refusal, TokenReason } from '../../core/refusal.ts';
import { readTokenRequest, type TokenRequest } from '../../core/rules/token-request.ts';
import type { Call } from '../token/call.ts';
import { grantTypeOf } from '../token/grant-type.ts';
import { type ScopeRequest, scopeRequest } from '../token/obtain.ts';
import { type BodyForm, formOf, readParameters } from '../token/parameters.ts';
import { ScopeParameters, TokenParameters } from './schemas.ts';

const EITHER_FORM: readonly BodyForm[] = ['json', 'form'];

export function parseScopeRequest(call: Call, forms: readonly BodyForm[]): Outcome<ScopeRequest, Refusal<TokenReason>> {
  const { headers, body } = call.request;
  const form = formOf(headers['content-type'], forms);
  if (!form.ok) return form;
  const parameters = readParameters<ScopeParameters>(body, form.value, ScopeParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, scope } = parameters.value;
  return scopeRequest({ clientId, scope, isPlain: true }, call);
}

export interface ParsedTokenRequest {
  readonly asked: TokenRequest;
  readonly form: BodyForm;
}

export function parseTokenRequest(call: Call): Outcome<ParsedTokenRequest, Refusal<TokenReason>> {
  const { headers, body } = call.request;
  const form = formOf(headers['content-type'], EITHER_FORM);
  if (!form.ok) return form;
  const parameters = readParameters<TokenParameters>(body, form.value, TokenParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, device_code: deviceCode, refresh_token: refreshToken } = parameters.value;
  call.recordIntegration(clientId);
  const grantType = grantTypeOf(parameters.value.grant_type);
  const asked = readTokenRequest({ clientId, grantType, deviceCode, refreshToken });
  return asked.ok ? accept({ asked: asked.value, form: form.value }) : asked;
}
