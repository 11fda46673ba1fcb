// Who calls. Integrations have no secrets: a client id names one, and the credential proves the rest. Resource servers prove
// themselves.
import { isPresented } from '../../core/certificate.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Presentation } from '../../operations/grant/identify-caller.ts';
import type { ResourceServerProof } from '../../operations/grant/identify-resource-server.ts';
import type { ClientParameters } from './schemas.ts';
import type { OauthReason } from './wording.ts';

const BASIC = /^basic(?: +(.*))?$/is;
const BEARER = /^bearer(?: +(.*))?$/is;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** RFC 6749 5.2, RFC 6750 3: the scheme that the client used, for `WWW-Authenticate`. */
export function challengeOf(authorization: string | undefined): string {
  return BEARER.test(authorization ?? '') ? 'Bearer realm="tessera", error="invalid_token"' : 'Basic realm="tessera"';
}

/** The client id from the form, from HTTP Basic, or from both if they are equal. Secrets and assertions are refused. */
export function readClientId(
  authorization: string | undefined,
  { client_id: inForm, client_secret: secret, client_assertion: assertion }: ClientParameters,
): Outcome<string, Refusal<OauthReason>> {
  const basic = BASIC.exec(authorization ?? '');
  const given = basic ? readBasic(basic[1] ?? '') : undefined;
  if (isRepeated(given?.password, secret, assertion)) return refuse('client-authentication-repeated');
  if (given?.password || secret || assertion) return refuse('client-authentication-unsupported');
  if (basic && !given?.user) return refuse('client-authentication-unsupported');
  if (inForm && given && inForm !== given.user) return refuse('client-id-ambiguous');
  const clientId = given?.user ?? inForm;
  return clientId ? accept(clientId) : refuse('client-id-missing');
}

/** RFC 6749 2.3, 5.2: one method per request. */
function isRepeated(header: unknown, secret: unknown, assertion: unknown): boolean {
  return Boolean((secret && assertion) || (header && (secret || assertion)));
}

type ProofOutcome = Outcome<ResourceServerProof, Refusal<OauthReason>>;

/**
 * RFC 7662 2.1: how a resource server proves itself, by exactly one method. A certificate is presented with the connection, so
 * it counts only if nothing else was sent.
 */
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
