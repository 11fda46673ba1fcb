// Who calls. A client id names an integration; the credential proves the rest, or a key or secret of the integration. Resource servers prove themselves.
import { isPresented } from '../../core/certificate.ts';
import type { ClientUrl } from '../../core/client-document.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { OauthReason, Refusal } from '../../core/refusal.ts';
import {
  type AuthenticatedClient,
  authenticateClient,
  authenticateGuest,
  type SentProof,
} from '../../operations/grant/authenticate-client.ts';
import type { Presentation } from '../../operations/grant/identify-caller.ts';
import type { ResourceServerProof } from '../../operations/grant/identify-resource-server.ts';
import type { Call } from '../token/call.ts';
import type { ClientParameters } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

const BASIC = /^basic(?: +(.*))?$/is;
const BEARER = /^bearer(?: +(.*))?$/is;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** RFC 6749 5.2, RFC 6750 3: the scheme that the client used, for `WWW-Authenticate`. */
export function challengeOf(authorization: string | undefined): string {
  return BEARER.test(authorization ?? '') ? 'Bearer realm="tessera", error="invalid_token"' : 'Basic realm="tessera"';
}

/** What a request says about its client. Nothing is proven yet. */
export interface NamedClient {
  readonly clientId: string | undefined;
  readonly sent?: SentProof;
  /** Whether `iss` of the assertion is another than the client: then it is the assertion of a platform. */
  readonly isOfPlatform?: boolean;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** RFC 6749 2.3: the client id from the form, from HTTP Basic, from both if they are equal, or from an assertion; and its proof. */
export function readClient(
  authorization: string | undefined,
  parameters: ClientParameters,
): Outcome<NamedClient, Refusal<OauthReason>> {
  const { client_id: inForm, client_secret: inSecret, client_assertion: assertion } = parameters;
  const basic = BASIC.exec(authorization ?? '');
  const given = basic ? readBasic(basic[1] ?? '') : undefined;
  if (isRepeated(given?.password, inSecret, assertion)) return refuse('client-authentication-repeated');
  if (basic && !given?.user) return refuse('client-authentication-unsupported');
  if (inForm && given && inForm !== given.user) return refuse('client-id-ambiguous');
  const clientId = given?.user ?? inForm;
  if (assertion) return byAssertion(clientId, assertion, parameters.client_assertion_type);
  const secret = given?.password || inSecret;
  if (!secret) return accept({ clientId });
  return clientId ? accept({ clientId, sent: { by: 'secret', secret } }) : refuse('client-id-missing');
}

/** RFC 7521 4.2: client_id may be left out, unless the assertion is that of a platform. */
function byAssertion(
  inRequest: string | undefined,
  assertion: string,
  type: string | undefined,
): Outcome<NamedClient, Refusal<OauthReason>> {
  if (type !== ASSERTION_TYPE) return refuse('client-assertion-type-unsupported');
  const { iss, sub } = claimedIn(assertion);
  const clientId = inRequest ?? (typeof iss === 'string' && iss === sub ? iss : undefined);
  if (clientId === undefined) return refuse('client-id-missing');
  return accept({ clientId, sent: { by: 'assertion', assertion }, isOfPlatform: iss !== clientId });
}

/** What a JWT says. It is not authentic yet. */
function claimedIn(jwt: string): { readonly iss?: unknown; readonly sub?: unknown } {
  try {
    return { ...(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')) as object) };
  } catch {
    return {};
  }
}

/** The integration or its guest, if it authenticates. One function for every endpoint and grant type that takes a client. */
export async function authenticate(
  { clientId, guest, sent }: NamedClient & { readonly guest?: ClientUrl | undefined },
  parameters: GuestParameters,
  call: Call,
): Promise<Outcome<AuthenticatedClient | undefined, OauthRefusal>> {
  if (!sent || clientId === undefined) return accept(undefined);
  const limited = call.overLimit();
  if (limited) return refused(limited);
  const asked = { clientId, sent, presenter: call.presenter, requestId: call.request.id };
  const client = guest
    ? await authenticateGuest({ ...asked, url: guest, credential: credentialIn(parameters) }, call.ports)
    : await authenticateClient(asked, call.ports);
  return client.ok ? client : refused({ ...client.refusal, credential: 'client' });
}

/** What a guest can send: at the token endpoint a code or a refresh token, to revoke one a token. */
function credentialIn({ code, refresh_token: refreshToken, token }: GuestParameters): string | undefined {
  return code ?? refreshToken ?? token;
}

export interface GuestParameters {
  readonly code?: string | undefined;
  readonly refresh_token?: string | undefined;
  readonly token?: string | undefined;
}

/** RFC 6749 2.3, 5.2: one method per request. */
function isRepeated(header: unknown, secret: unknown, assertion: unknown): boolean {
  return Boolean((secret && assertion) || (header && (secret || assertion)));
}

type ProofOutcome = Outcome<ResourceServerProof, Refusal<OauthReason>>;

/** RFC 7662 2.1: by exactly one method. A certificate comes with the connection, so it counts only if nothing else was sent. */
export function readProof(
  authorization: string | undefined,
  { client_id: id, client_secret: secret, client_assertion: assertion }: ClientParameters,
  presentation: Presentation,
): ProofOutcome {
  if (isRepeated(authorization !== undefined, secret, assertion)) return refuse('client-authentication-repeated');
  if (assertion) return refuse('resource-server-unproven');
  if (authorization !== undefined) return fromHeader(authorization, id, presentation);
  if (secret) return id ? accept({ by: 'secret', id, secret }) : refuse('client-id-missing');
  return isPresented(presentation.presented)
    ? accept({ by: 'certificate', id, ...presentation })
    : refuse('resource-server-proof-missing');
}

function fromHeader(authorization: string, inForm: string | undefined, presentation: Presentation): ProofOutcome {
  const [, accessToken] = BEARER.exec(authorization) ?? [];
  if (accessToken) return accept({ by: 'access-token', id: inForm, accessToken, ...presentation });
  const [, base64 = ''] = BASIC.exec(authorization) ?? [];
  const given = readBasic(base64);
  if (!given?.user || !given.password) return refuse('resource-server-unproven');
  if (inForm && inForm !== given.user) return refuse('client-id-ambiguous');
  return accept({ by: 'secret', id: given.user, secret: given.password });
}

/** RFC 6749 2.3.1: user name and password are form-encoded. Undefined if malformed. */
function readBasic(base64: string): { user: string; password: string } | undefined {
  if (!BASE64.test(base64.trim())) return undefined;
  const [user, password, ...more] = Buffer.from(base64, 'base64').toString('utf8').split(':').map(formDecoded);
  return user !== undefined && password !== undefined && more.length === 0 ? { user, password } : undefined;
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
