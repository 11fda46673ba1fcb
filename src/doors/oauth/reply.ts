import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import { nameRequest, replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { describe, SCOPE_LIST_MALFORMED } from '../token/descriptions.ts';
import { challengeOf } from './client.ts';
import type { ErrorAnswer } from './schemas.ts';
import { type OauthReason, type OauthRefusal, wordingOf } from './wording.ts';

export function replyOauthRefusal(reply: FastifyReply, refusal: OauthRefusal): FastifyReply {
  const { error } = wordingOf(refusal.reason, refusal.credential);
  const { authorization } = reply.request.headers;
  // RFC 6749 5.2: integrations have no secret, so a request without the header gets no challenge.
  if (error === 'invalid_client' && (authorization || refusal.credential === 'resource-server'))
    reply.header('www-authenticate', challengeOf(authorization));
  return replyRefusal(reply, refusal, oauthWords(refusal, reply.request));
}

export function oauthWords(refusal: OauthRefusal, request?: FastifyRequest): WordedRefusal {
  const { status, error } = wordingOf(refusal.reason, refusal.credential);
  const phrase = describeOauth(refusal);
  const body: ErrorAnswer = { error, error_description: nameRequest(phrase, refusal, request) };
  return { status, phrase, body: JSON.stringify(body) };
}

/** Texts that differ from those of other token doors. */
const OWN_WORDS = {
  'grant-type-missing': 'grant_type is missing.',
  'grant-type-unsupported': 'This grant_type is not supported. The metadata of this server lists those that are.',
  'credential-missing':
    'What this grant_type needs is missing: device_code, refresh_token, assertion or subject_token, or code, redirect_uri and code_verifier.',
  'token-missing': 'token is missing.',
  'certificate-missing':
    'No client certificate was presented, and the request has neither client_assertion nor client_secret.',
  'cursor-missing':
    'Send the cursor of a snapshot as Last-Event-ID or as after. For a snapshot, accept application/json.',
  'cursor-gone': 'This cursor is too old, or it is of another store or resource server. Take a snapshot.',
  'client-authentication-unsupported':
    'The Authorization header is not HTTP Basic with a client_id. Send one, or client_id in the form.',
  'client-assertion-type-unsupported':
    'client_assertion needs client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer.',
  'token-type-unsupported':
    'An access token can be exchanged for an access token, and a JWT of a platform: see subject_token_type and requested_token_type.',
  'dpop-proof-invalid':
    'The DPoP proof is not valid: check typ, alg, jwk, htm, htu, iat and the signature, and make a new one for each request.',
  'dpop-nonce-needed': 'Make a new DPoP proof with the nonce of the header DPoP-Nonce.',
  'dpop-proofs-too-many': 'This key has sent more DPoP proofs in the last minute than its share. Wait, then ask again.',
  'client-authentication-repeated': 'Authenticate in one way only: in the header or in the form.',
  'client-id-ambiguous': 'client_id in the body and in the Authorization header differ.',
  'content-type-unsupported': 'Send Content-Type: application/x-www-form-urlencoded in UTF-8.',
  'body-unreadable': 'The body could not be read. Send form fields in UTF-8.',
  'scope-malformed': SCOPE_LIST_MALFORMED,
} as const satisfies Partial<Record<OauthReason, string>>;

function describeOauth({ reason, ...details }: Refusal<OauthReason>): string {
  return isOwn(reason) ? OWN_WORDS[reason] : describe({ reason, ...details });
}

function isOwn(reason: OauthReason): reason is keyof typeof OWN_WORDS {
  return Object.hasOwn(OWN_WORDS, reason);
}
