// The token endpoint (RFC 6749 3.2): one grant type per credential.
import type { FastifyRequest } from 'fastify';
import type { NamedClient } from '../../core/client-document.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import { WHOLE_SCOPE } from '../../core/rules/scope.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { storyOf } from '../http/story.ts';
import type { TokenMount } from '../token/mount.ts';
import { obtainByAssertion, obtainByCertificate, obtainByCode, obtainPair, scopeRequest } from '../token/obtain.ts';
import { recordPair } from '../token/request-story.ts';
import { tokenAnswer } from './answers.ts';
import { credentialOf } from './grant-types.ts';
import { readRequest } from './read-request.ts';
import type { OauthRefusal } from './reply.ts';
import { TokenParameters } from './schemas.ts';
import type { GrantCredential } from './wording.ts';

interface Asked extends NamedClient {
  readonly scope: string | undefined;
  readonly parameters: TokenParameters;
}

type Obtain = (asked: Asked, request: FastifyRequest, mount: TokenMount) => Promise<Outcome<TokenPair>>;

const OBTAIN: Readonly<Record<GrantCredential, Obtain>> = {
  'device-code': redeem,
  code: redeemCode,
  'refresh-token': refresh,
  certificate: authorizeByCertificate,
  assertion: authorizeByAssertion,
};

/** Guests have no registration of their own, so a person must have confirmed each. */
const FOR_GUESTS: ReadonlySet<GrantCredential> = new Set(['code', 'refresh-token']);

export async function issueToken(
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenAnswerBody, OauthRefusal>> {
  const asked = readRequest<TokenParameters>(request, mount, TokenParameters);
  if (!asked.ok) return asked;
  const { grant_type: grantType } = asked.value.parameters;
  if (!grantType) return refuse('grant-type-missing');
  const credential = credentialOf(grantType);
  if (!credential) return refuse('grant-type-unsupported');
  if (asked.value.guest && !FOR_GUESTS.has(credential)) return refuse('integration-unknown');
  const pair = await OBTAIN[credential](asked.value, request, mount);
  if (!pair.ok) return refused({ ...pair.refusal, credential });
  recordPair(request, pair.value);
  return accept(tokenAnswer(pair.value));
}

type TokenAnswerBody = ReturnType<typeof tokenAnswer>;

async function redeem({ clientId, parameters }: Asked, request: FastifyRequest, mount: TokenMount) {
  const { device_code: deviceCode } = parameters;
  if (!deviceCode) return refuse('credential-missing');
  const { resource } = parameters;
  return obtainPair({ kind: 'redeem', clientId, deviceCode }, request, mount, { slowsDown: true, resource });
}

/** RFC 6749 4.1.3, RFC 7636 4.5. */
async function redeemCode({ clientId, guest, parameters }: Asked, request: FastifyRequest, mount: TokenMount) {
  const { code, redirect_uri: redirectUri, code_verifier: verifier, resource } = parameters;
  if (!code || !redirectUri || !verifier) return refuse('credential-missing');
  return obtainByCode({ clientId, guest, code, redirectUri, verifier, resource }, request, mount);
}

async function refresh({ clientId, guest, parameters, scope }: Asked, request: FastifyRequest, mount: TokenMount) {
  const { refresh_token: refreshToken } = parameters;
  if (!refreshToken) return refuse('credential-missing');
  const { resource } = parameters;
  return obtainPair({ kind: 'refresh', clientId, refreshToken }, request, mount, { guest, scope, resource });
}

/** RFC 8705 2.1: the certificate gives the identity, client_id names the integration. */
async function authorizeByCertificate(
  { clientId, scope, parameters }: Asked,
  request: FastifyRequest,
  mount: TokenMount,
) {
  storyOf(request).operation = 'authorize-certificate';
  const { resource } = parameters;
  const asked = scopeRequest({ clientId, scope: scope ?? WHOLE_SCOPE, resource }, request, mount);
  if (!asked.ok) return asked;
  // RFC 6749 4.4.3: no refresh token, unless the integration itself says so.
  return obtainByCertificate(asked.value, request, mount, { refresh: 'if-set-by-integration' });
}

/** RFC 7523 2.1: the assertion gives the identity, client_id names the integration. */
async function authorizeByAssertion(
  { clientId, parameters, scope }: Asked,
  request: FastifyRequest,
  mount: TokenMount,
) {
  storyOf(request).operation = 'authorize-assertion';
  const { assertion, resource } = parameters;
  if (!assertion) return refuse('credential-missing');
  const asked = scopeRequest({ clientId, scope: scope ?? WHOLE_SCOPE, resource }, request, mount);
  if (!asked.ok) return asked;
  return obtainByAssertion({ ...asked.value, clientId, assertion }, request, mount);
}
