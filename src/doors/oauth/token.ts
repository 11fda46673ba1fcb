// The token endpoint (RFC 6749 3.2): one grant type per credential.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Proven } from '../../core/rules/client.ts';
import { WHOLE_SCOPE } from '../../core/rules/scope.ts';
import type { AuthenticatedClient } from '../../operations/grant/authenticate-client.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { storyOf } from '../http/story.ts';
import type { TokenMount } from '../token/mount.ts';
import {
  obtainByAssertion,
  obtainByCertificate,
  obtainByClient,
  obtainByCode,
  obtainByExchange,
  obtainPair,
  scopeRequest,
} from '../token/obtain.ts';
import { recordPair } from '../token/request-story.ts';
import { tokenAnswer } from './answers.ts';
import { credentialOf } from './grant-types.ts';
import type { OauthMount } from './mount.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { TokenParameters } from './schemas.ts';
import type { GrantCredential, OauthRefusal } from './wording.ts';

interface Asked extends ReadRequest<TokenParameters> {
  /** The key of the DPoP proof, if one was sent. */
  readonly jkt: string | undefined;
}

type Named = Asked & { readonly clientId: string };

type Obtain = (asked: Asked, request: FastifyRequest, mount: TokenMount) => Promise<Outcome<TokenPair, OauthRefusal>>;

const OBTAIN: Readonly<Record<GrantCredential, Obtain>> = {
  'device-code': named(redeem),
  code: named(redeemCode),
  'refresh-token': named(refresh),
  certificate: named(authorizeByClient),
  assertion: authorizeByAssertion,
  'subject-token': exchange,
};

/** Guests have no registration of their own, so a person must have confirmed each. */
const FOR_GUESTS: ReadonlySet<GrantCredential> = new Set(['code', 'refresh-token']);

/** All but assertions need the client id. */
function named(obtain: (asked: Named, request: FastifyRequest, mount: TokenMount) => ReturnType<Obtain>): Obtain {
  return async (asked, request, mount) => {
    const { clientId } = asked;
    return clientId === undefined ? refuse('client-id-missing') : obtain({ ...asked, clientId }, request, mount);
  };
}

export async function issueToken(
  request: FastifyRequest,
  mount: OauthMount,
): Promise<Outcome<TokenAnswerBody, OauthRefusal>> {
  const proof = checkProof(request, mount);
  if (!proof.ok) return refused(mount.overLimit(request) ?? proof.refusal);
  const issued = await issueTo(proof.value?.jkt, request, mount);
  if (!issued.ok) proof.value?.forget();
  return issued;
}

/** RFC 9449 5: the proof that the request has, if it has one. */
function checkProof({ headers }: FastifyRequest, { proofs, metadata }: OauthMount) {
  const { token_endpoint: endpoint, mtls_endpoint_aliases: aliases } = metadata;
  const { dpop } = headers;
  if (dpop === undefined) return accept(undefined);
  return proofs.check(String(dpop), 'POST', [endpoint, ...(aliases ? [aliases.token_endpoint] : [])]);
}

async function issueTo(
  jkt: string | undefined,
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenAnswerBody, OauthRefusal>> {
  const asked = await readRequest<TokenParameters>(request, mount, TokenParameters);
  if (!asked.ok) return asked;
  const { grant_type: grantType } = asked.value.parameters;
  if (!grantType) return refuse('grant-type-missing');
  const credential = credentialOf(grantType);
  if (!credential) return refuse('grant-type-unsupported');
  if (asked.value.guest && !FOR_GUESTS.has(credential)) return refuse('integration-unknown');
  // Only client_credentials has no other place for the assertion of a platform.
  if (asked.value.platformAssertion !== undefined && credential !== 'certificate')
    return refused({ reason: 'client-unproven', credential: 'client' });
  const pair = await OBTAIN[credential]({ ...asked.value, jkt }, request, mount);
  if (!pair.ok) return refused({ credential, ...pair.refusal });
  recordPair(request, pair.value);
  const exchanged = credential === 'subject-token' && { issued_token_type: ACCESS_TOKEN_TYPE };
  return accept({ ...tokenAnswer(pair.value), ...exchanged });
}

type TokenAnswerBody = ReturnType<typeof tokenAnswer>;

const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';

async function redeem({ clientId, parameters, ...asked }: Named, request: FastifyRequest, mount: TokenMount) {
  const { device_code: deviceCode, resource } = parameters;
  if (!deviceCode) return refuse('credential-missing');
  const options = { slowsDown: true, resource, proven: provenBy(asked) };
  return obtainPair({ kind: 'redeem', clientId, deviceCode }, request, mount, options);
}

/** RFC 6749 4.1.3, RFC 7636 4.5. */
async function redeemCode({ clientId, guest, parameters, jkt }: Named, request: FastifyRequest, mount: TokenMount) {
  const { code, redirect_uri: redirectUri, code_verifier: verifier, resource } = parameters;
  if (!code || !redirectUri || !verifier) return refuse('credential-missing');
  return obtainByCode({ clientId, guest, code, redirectUri, verifier, resource, jkt }, request, mount);
}

async function refresh(
  { clientId, guest, parameters, scope, ...asked }: Named,
  request: FastifyRequest,
  mount: TokenMount,
) {
  const { refresh_token: refreshToken, resource } = parameters;
  if (!refreshToken) return refuse('credential-missing');
  const options = { guest, scope, resource, proven: provenBy(asked) };
  return obtainPair({ kind: 'refresh', clientId, refreshToken }, request, mount, options);
}

function provenBy({ client, jkt }: Pick<Asked, 'client' | 'jkt'>): Proven {
  return { isAuthenticated: client !== undefined, jkt };
}

/** RFC 6749 4.4: by key or secret, by the assertion of a platform, or by certificate. */
function authorizeByClient(asked: Named, request: FastifyRequest, mount: TokenMount): ReturnType<Obtain> {
  if (asked.client) return authorizeItself(asked, asked.client, request, mount);
  return asked.platformAssertion === undefined
    ? authorizeByCertificate(asked, request, mount)
    : authorizeByPlatform(asked, asked.platformAssertion, request, mount);
}

async function authorizeItself(asked: Asked, client: AuthenticatedClient, request: FastifyRequest, mount: TokenMount) {
  const wanted = wantedBy(asked, 'authorize-client', request, mount);
  return wanted.ok ? obtainByClient({ ...wanted.value, client, jkt: asked.jkt }, request, mount) : wanted;
}

/** RFC 8705 2.1: the certificate gives the identity, client_id names the integration. */
async function authorizeByCertificate(asked: Asked, request: FastifyRequest, mount: TokenMount) {
  const wanted = wantedBy(asked, 'authorize-certificate', request, mount);
  if (!wanted.ok) return wanted;
  // RFC 6749 4.4.3: no refresh token, unless the integration itself says so.
  return obtainByCertificate(wanted.value, request, mount, { refresh: 'if-set-by-integration', jkt: asked.jkt });
}

/** What a request for a new grant wants, from a caller within its limits. */
function wantedBy(
  { clientId, scope, parameters }: Asked,
  operation: string,
  request: FastifyRequest,
  mount: TokenMount,
) {
  storyOf(request).operation = operation;
  return scopeRequest({ clientId, scope: scope ?? WHOLE_SCOPE, resource: parameters.resource }, request, mount);
}

/** Our own: for libraries that send a JWT as client assertion only. RFC 7521 4.2.1: what is wrong with it is wrong with the client. */
async function authorizeByPlatform(asked: Asked, assertion: string, request: FastifyRequest, mount: TokenMount) {
  const pair = await obtainAsserted({ ...asked, assertion }, request, mount);
  return pair.ok ? pair : refused({ ...pair.refusal, credential: 'client' as const });
}

/** RFC 7523 2.1: the assertion gives the identity, client_id names the integration. */
async function authorizeByAssertion(asked: Asked, request: FastifyRequest, mount: TokenMount) {
  const { assertion } = asked.parameters;
  return assertion ? obtainAsserted({ ...asked, assertion }, request, mount) : refuse('credential-missing');
}

async function obtainAsserted(
  asked: Asked & { readonly assertion: string },
  request: FastifyRequest,
  mount: TokenMount,
): Promise<Outcome<TokenPair>> {
  const wanted = wantedBy(asked, 'authorize-assertion', request, mount);
  if (!wanted.ok) return wanted;
  const { assertion, client, jkt } = asked;
  return obtainByAssertion({ ...wanted.value, assertion, isAuthenticated: client !== undefined, jkt }, request, mount);
}

/** RFC 8693 2.1: an access token that this API received; or the JWT of a platform, as with jwt-bearer. */
async function exchange(asked: Asked, request: FastifyRequest, mount: TokenMount): ReturnType<Obtain> {
  const { subject_token: subjectToken, subject_token_type: type, requested_token_type: wanted } = asked.parameters;
  if (!subjectToken) return refuse('credential-missing');
  if (asked.parameters.actor_token || (wanted && wanted !== ACCESS_TOKEN_TYPE)) return refuse('token-type-unsupported');
  const parameters = { ...asked.parameters, ...targetsOf(asked.parameters, mount) };
  if (type === JWT_TYPE) return obtainAsserted({ ...asked, parameters, assertion: subjectToken }, request, mount);
  if (type !== ACCESS_TOKEN_TYPE) return refuse('token-type-unsupported');
  const { clientId, client, jkt } = asked;
  if (clientId === undefined) return refuse('client-id-missing');
  const scoped = wantedBy({ ...asked, parameters }, 'exchange', request, mount);
  if (!scoped.ok) return scoped;
  return obtainByExchange({ ...scoped.value, clientId, client, subjectToken, jkt }, request, mount);
}

/** RFC 8693 2.1: audience is a name that both sides know, such as the id of a resource server. */
function targetsOf({ resource = [], audience = [] }: TokenParameters, { ports }: TokenMount): { resource?: string[] } {
  const named = (name: string) => ports.registry.resourceServers.find(({ id }) => id === name)?.audience ?? name;
  const targets = [...resource, ...audience.map(named)];
  return targets.length > 0 ? { resource: targets } : {};
}
