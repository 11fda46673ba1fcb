// From the body of a request to what it asks for.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import { readTokenRequest, type TokenWish } from '../../core/rules/token-request.ts';
import { type BodyForm, bodyForm, readParameters } from '../token/parameters.ts';
import type { AuthsvcDoor } from './door.ts';
import { ScopeParameters, TokenParameters } from './schemas.ts';
import { tellIntegration } from './tell.ts';

export interface ScopeWish {
  readonly clientId: string | undefined;
  readonly scope: string | undefined;
  readonly presenter: Presenter;
}

/** A wish for a scope, of a caller that is within its limits. */
export function readScopeWish(
  request: FastifyRequest,
  door: AuthsvcDoor,
  forms: readonly BodyForm[],
): Outcome<ScopeWish> {
  const form = formOf(request, forms);
  if (!form.ok) return form;
  const parameters = readParameters<ScopeParameters>(request.body, form.value, ScopeParameters);
  if (!parameters.ok) return parameters;
  const { client_id: clientId, scope } = parameters.value;
  tellIntegration(request, clientId, door.ports);
  const limited = door.overLimit(request);
  if (limited) return refused(limited);
  return accept({ clientId, scope, presenter: door.readConnection(request).presenter });
}

export interface TokenWishRead {
  readonly wish: TokenWish;
  readonly form: BodyForm;
}

export function readTokenWish(request: FastifyRequest, door: AuthsvcDoor): Outcome<TokenWishRead> {
  const form = formOf(request, ['json', 'form']);
  if (!form.ok) return form;
  const parameters = readParameters<TokenParameters>(request.body, form.value, TokenParameters);
  if (!parameters.ok) return parameters;
  const {
    client_id: clientId,
    grant_type: grantType,
    device_code: deviceCode,
    refresh_token: refreshToken,
  } = parameters.value;
  tellIntegration(request, clientId, door.ports);
  const wish = readTokenRequest({ clientId, grantType, deviceCode, refreshToken });
  return wish.ok ? accept({ wish: wish.value, form: form.value }) : wish;
}

function formOf(request: FastifyRequest, forms: readonly BodyForm[]): Outcome<BodyForm> {
  const form = bodyForm(request.headers['content-type']);
  return form && forms.includes(form) ? accept(form) : refuse('content-type-unsupported');
}
