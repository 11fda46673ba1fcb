// The token endpoint (RFC 6749 3.2): one grant type per credential.
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Proven } from '../../core/rules/client.ts';
import { WHOLE_SCOPE } from '../../core/rules/scope.ts';
import { redeemCode } from '../../operations/device/redeem-code.ts';
import type { AuthenticatedClient } from '../../operations/grant/authenticate-client.ts';
import { authorizeAssertion } from '../../operations/grant/authorize-assertion.ts';
import { authorizeClient } from '../../operations/grant/authorize-client.ts';
import { exchangeToken } from '../../operations/grant/exchange-token.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import type { Call } from '../token/call.ts';
import { obtainByCertificate, obtainPair, scopeRequest } from '../token/obtain.ts';
import { tokenAnswer } from './answers.ts';
import { CREDENTIALS } from './grant-types.ts';
import type { OauthCall } from './mount.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { TokenParameters } from './schemas.ts';
import type { GrantCredential, OauthRefusal } from './wording.ts';

interface Asked extends ReadRequest<TokenParameters> {
  /** The key of the DPoP proof, if one was sent. */
  readonly jkt: string | undefined;
}

type Named = Asked & { readonly clientId: string };

type Obtain = (asked: Asked, call: Call) => Promise<Outcome<TokenPair, OauthRefusal>>;

const OBTAIN: Readonly<Record<GrantCredential, Obtain>> = {
  'device-code': named(redeem),
  code: named(redeemByCode),
  'refresh-token': named(refresh),
  certificate: named(authorizeByClient),
  assertion: authorizeByAssertion,
  'subject-token': exchange,
};

/** Guests have no registration of their own, so a person must have confirmed each. */
const FOR_GUESTS: ReadonlySet<GrantCredential> = new Set(['code', 'refresh-token']);

/** All but assertions need the client id. */
function named(obtain: (asked: Named, call: Call) => ReturnType<Obtain>): Obtain {
  return async (asked, call) => {
    const { clientId } = asked;
    return clientId === undefined ? refuse('client-id-missing') : obtain({ ...asked, clientId }, call);
  };
}

export async function issueToken(call: OauthCall): Promise<Outcome<TokenAnswerBody, OauthRefusal>> {
  // Before the signature, which takes time.
  const limited = call.request.headers['dpop'] === undefined ? undefined : call.overLimit();
  const proof = limited ? refused(limited) : checkProof(call);
  if (!proof.ok) return proof;
  const issued = await issueTo(proof.value?.jkt, call);
  if (!issued.ok) proof.value?.forget();
  return issued;
}

/** RFC 9449 5: the proof that the request has, if it has one. */
function checkProof({ request, mount }: OauthCall) {
  const { token_endpoint: endpoint, mtls_endpoint_aliases: aliases } = mount.metadata;
  const { dpop } = request.headers;
  if (dpop === undefined) return accept(undefined);
  return mount.proofs.check(String(dpop), 'POST', [endpoint, ...(aliases ? [aliases.token_endpoint] : [])]);
}

async function issueTo(jkt: string | undefined, call: Call): Promise<Outcome<TokenAnswerBody, OauthRefusal>> {
  const asked = await readRequest<TokenParameters>(call, TokenParameters);
  if (!asked.ok) return asked;
  const { grant_type: grantType } = asked.value.parameters;
  if (!grantType) return refuse('grant-type-missing');
  const credential = CREDENTIALS.get(grantType);
  if (!credential) return refuse('grant-type-unsupported');
  if (asked.value.guest && !FOR_GUESTS.has(credential)) return refuse('integration-unknown');
  // Only client_credentials has no other place for the assertion of a platform.
  if (asked.value.platformAssertion !== undefined && credential !== 'certificate')
    return refused({ reason: 'client-unproven', credential: 'client' });
  const pair = await OBTAIN[credential]({ ...asked.value, jkt }, call);
  if (!pair.ok) return refused({ credential, ...pair.refusal });
  call.recordPair(pair.value);
  const exchanged = credential === 'subject-token' && { issued_token_type: ACCESS_TOKEN_TYPE };
  return accept({ ...tokenAnswer(pair.value), ...exchanged });
}

type TokenAnswerBody = ReturnType<typeof tokenAnswer>;

const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';

async function redeem({ clientId, parameters, ...asked }: Named, call: Call) {
  const { device_code: deviceCode, resource } = parameters;
  if (!deviceCode) return refuse('credential-missing');
  const options = { slowsDown: true, resource, proven: provenBy(asked) };
  return obtainPair({ kind: 'redeem', clientId, deviceCode }, call, options);
}

/** RFC 6749 4.1.3, RFC 7636 4.5. */
async function redeemByCode({ clientId, guest, parameters, ...asked }: Named, call: Call) {
  const { code, redirect_uri: redirectUri, code_verifier: verifier, resource } = parameters;
  if (!code || !redirectUri || !verifier) return refuse('credential-missing');
  call.record.operation = 'redeem-code';
  const sent = { clientId, guest, code, redirectUri, verifier, resource, proven: provenBy(asked) };
  return redeemCode({ ...sent, ...call.limitsOf(clientId) }, call.ports);
}

async function refresh({ clientId, guest, parameters, scope, ...asked }: Named, call: Call) {
  const { refresh_token: refreshToken, resource } = parameters;
  if (!refreshToken) return refuse('credential-missing');
  const options = { guest, scope, resource, proven: provenBy(asked) };
  return obtainPair({ kind: 'refresh', clientId, refreshToken }, call, options);
}

function provenBy({ client, jkt }: Pick<Asked, 'client' | 'jkt'>): Proven {
  return { isAuthenticated: client !== undefined, jkt };
}

/** RFC 6749 4.4: by key or secret, by the assertion of a platform, or by certificate. */
function authorizeByClient(asked: Named, call: Call): ReturnType<Obtain> {
  if (asked.client) return authorizeItself(asked, asked.client, call);
  return asked.platformAssertion === undefined
    ? authorizeByCertificate(asked, call)
    : authorizeByPlatform(asked, asked.platformAssertion, call);
}

async function authorizeItself(asked: Asked, client: AuthenticatedClient, call: Call) {
  const wanted = wantedBy(asked, 'authorize-client', call);
  if (!wanted.ok) return wanted;
  const overCap = call.grantCap(client.integration.clientId);
  return authorizeClient({ ...wanted.value, client, jkt: asked.jkt, overCap }, call.ports);
}

/** RFC 8705 2.1: the certificate gives the identity, client_id names the integration. */
async function authorizeByCertificate(asked: Asked, call: Call) {
  const wanted = wantedBy(asked, 'authorize-certificate', call);
  if (!wanted.ok) return wanted;
  // RFC 6749 4.4.3: no refresh token, unless the integration itself says so.
  return obtainByCertificate({ ...wanted.value, refresh: 'if-set-by-integration', jkt: asked.jkt }, call);
}

/** What a request for a new grant wants, from a caller within its limits. */
function wantedBy({ clientId, scope, parameters }: Asked, operation: string, call: Call) {
  call.record.operation = operation;
  return scopeRequest({ clientId, scope: scope ?? WHOLE_SCOPE, resource: parameters.resource }, call);
}

/** Our own: for libraries that send a JWT as client assertion only. RFC 7521 4.2.1: what is wrong with it is wrong with the client. */
async function authorizeByPlatform(asked: Asked, assertion: string, call: Call) {
  const pair = await obtainAsserted({ ...asked, assertion }, call);
  return pair.ok ? pair : refused({ ...pair.refusal, credential: 'client' as const });
}

/** RFC 7523 2.1: the assertion gives the identity, client_id names the integration. */
async function authorizeByAssertion(asked: Asked, call: Call) {
  const { assertion } = asked.parameters;
  return assertion ? obtainAsserted({ ...asked, assertion }, call) : refuse('credential-missing');
}

async function obtainAsserted(asked: Asked & { readonly assertion: string }, call: Call): Promise<Outcome<TokenPair>> {
  const wanted = wantedBy(asked, 'authorize-assertion', call);
  if (!wanted.ok) return wanted;
  const { clientId, assertion, client, jkt } = asked;
  const sent = { assertion, isAuthenticated: client !== undefined, jkt, requestId: call.request.id };
  const overCapOf = (id: string) => call.grantCap(id);
  const pair = await authorizeAssertion({ ...wanted.value, ...sent, overCapOf }, call.ports);
  call.recordIntegration(clientId); // once more: it may have been found in the store
  return pair;
}

/** RFC 8693 2.1: an access token that this API received; or the JWT of a platform, as with jwt-bearer. */
async function exchange(asked: Asked, call: Call): ReturnType<Obtain> {
  const { subject_token: subjectToken, subject_token_type: type, requested_token_type: wanted } = asked.parameters;
  if (!subjectToken) return refuse('credential-missing');
  if (asked.parameters.actor_token || (wanted && wanted !== ACCESS_TOKEN_TYPE)) return refuse('token-type-unsupported');
  const parameters = { ...asked.parameters, ...targetsOf(asked.parameters, call) };
  if (type === JWT_TYPE) return obtainAsserted({ ...asked, parameters, assertion: subjectToken }, call);
  if (type !== ACCESS_TOKEN_TYPE) return refuse('token-type-unsupported');
  const { clientId, client, jkt } = asked;
  if (clientId === undefined) return refuse('client-id-missing');
  const scoped = wantedBy({ ...asked, parameters }, 'exchange', call);
  if (!scoped.ok) return scoped;
  const sent = { ...call.presentation, clientId, client, subjectToken, jkt };
  return exchangeToken({ ...scoped.value, ...sent, overCap: call.grantCap(clientId) }, call.ports);
}

/** RFC 8693 2.1: audience is a name that both sides know, such as the id of a resource server. */
function targetsOf({ resource = [], audience = [] }: TokenParameters, { mount }: Call): { resource?: string[] } {
  const { resourceServers } = mount.ports.registry;
  const named = (name: string) => resourceServers.find(({ id }) => id === name)?.audience ?? name;
  const targets = [...resource, ...audience.map(named)];
  return targets.length > 0 ? { resource: targets } : {};
}
