// The description that goes with a refusal at a token door: constant text, never input, that says what to do next. It may
// become the reason phrase of HTTP/1.1, so it is ASCII on one line.
import { type Refusal, type RefusalReason, WAITING_REASONS } from '../../core/refusal.ts';
import { type ServerReason, TRANSPORT_WORDS, type TransportReason } from '../http/transport-refusal.ts';
import { wordsOfRule } from './certificate-words.ts';

const DESCRIPTIONS: Readonly<Record<Exclude<RefusalReason, ServerReason>, string>> = {
  'client-id-missing': 'client_id is missing.',
  'credential-missing': 'Send a device_code with its grant_type, or a refresh_token.',
  'credential-ambiguous': 'Send either a device_code or a refresh_token, not both.',
  'grant-type-unsupported':
    'grant_type does not fit. A device_code needs urn:ietf:params:oauth:grant-type:device_code.',
  'integration-unknown': 'client_id is not the Client ID of an API integration. It is case sensitive.',
  'integration-disabled': 'This API integration is disabled. Ask the operator.',
  'device-flow-disabled': 'Browser-based authentication is disabled.',
  'certificate-flow-disabled': 'Authorization by certificate is disabled for this API integration.',
  'assertion-flow-disabled': 'Authorization by assertion is disabled for this API integration.',
  'scope-missing': 'scope is missing.',
  'scope-malformed': 'scope is malformed. Write resource:permission,permission;resource:permission without spaces.',
  'scope-exceeds-integration': 'scope exceeds the scope of the API integration.',
  'scope-exceeds-grant': 'scope exceeds the scope of the grant. Leave it out to keep the scope of the grant.',
  'scope-no-longer-allowed':
    'The API integration no longer covers the scope of this grant. Authorize anew with a smaller scope.',
  'resource-unknown': 'resource does not name a resource server. Send its audience exactly as it is registered.',
  'resource-outside-scope': 'resource names a resource server that serves nothing of the scope.',
  'resource-differs-from-grant': 'resource differs from that of the grant. Leave it out to keep the same.',
  'refresh-token-not-authentic': 'This refresh_token was not issued here or was damaged on the way.',
  'refresh-token-of-another-integration': 'This refresh_token belongs to another client_id.',
  'grant-unknown': 'This grant no longer exists. Authorize anew.',
  'grant-revoked': 'This grant was revoked. Authorize anew.',
  'grant-expired': 'This grant has expired. Authorize anew.',
  'refresh-not-offered': 'This API integration offers no refresh. Authorize anew.',
  'refresh-token-reused': 'This refresh_token was used before. Always use the newest one. Authorize anew.',
  'store-rolled-back': 'This grant ended because the server was restored from a backup. Authorize anew.',
  'certificate-binding-unmet': 'This grant is bound to a client certificate, which this connection did not present.',
  'device-code-not-authentic': 'This device_code was not issued here or was damaged on the way.',
  'device-code-of-another-integration': 'This device_code belongs to another client_id.',
  'device-code-expired': 'This device_code has expired. Start again.',
  'device-code-redeemed': 'This device_code was redeemed before. Start again.',
  'device-code-spent': 'Sign-in failed too often for this device_code. Start again.',
  'code-ended': 'This code was ended, by an operator or by the person. Start again.',
  'authorization-pending': 'The browser confirmation is missing.',
  'polled-too-fast': 'The browser confirmation is missing, and this was asked too soon.',
  'device-denied': 'The request was denied in the browser.',
  'code-flow-disabled': 'Authorization by code is disabled for this API integration.',
  'redirect-uri-unknown': 'redirect_uri is missing, or not one that is registered for this client_id.',
  'response-type-unsupported': 'Only response_type=code is supported, with response_mode=query.',
  'code-challenge-missing': 'Send code_challenge with code_challenge_method=S256 (RFC 7636).',
  'code-not-authentic':
    'This code was not issued here, or not for this client_id, redirect_uri and code_verifier (43 to 128 characters).',
  'code-expired': 'This code has expired. Start again.',
  'code-redeemed': 'This code was redeemed before, so its grant was ended. Start again.',
  'identity-unknown': 'The identity of this grant no longer exists.',
  'identity-disabled': 'This identity is disabled. Ask the operator.',
  'identity-without-api-access': 'This identity may not use the web API. Ask the operator.',
  'identity-without-integration-access': 'This identity may not use this API integration. Ask the operator.',
  'certificate-missing': 'No client certificate was presented.',
  'certificate-unreadable': 'The client certificate could not be read.',
  'certificate-repeated': 'The client certificate was handed over more than once.',
  'certificate-issuer-not-approved': 'The client certificate was not issued by an approved issuer.',
  'certificate-not-yet-valid': 'The client certificate, or an authority above it, is not valid yet.',
  'certificate-expired': 'The client certificate, or an authority above it, has expired.',
  'certificate-revoked': 'The client certificate, or an authority above it, was revoked.',
  'certificate-revocation-unknown': 'Whether the client certificate was revoked could not be found out.',
  'certificate-refused-by-policy': 'The client certificate does not meet the policy of its issuer.',
  'certificate-name-missing': 'The client certificate holds no name in the configured field.',
  'certificate-name-ambiguous': 'The client certificate holds several names in the configured field.',
  'certificate-name-malformed': 'The client certificate holds a malformed name in the configured field.',
  'certificate-identity-unknown': 'No identity belongs to this client certificate.',
  'certificate-identity-ambiguous': 'Several identities would match this client certificate.',
  'issuer-not-for-integration': 'Certificates of this issuer may not use this API integration.',
  'assertion-malformed': 'The assertion is not a JWT with the header and claims that are needed.',
  'assertion-issuer-unknown': 'iss of the assertion is not that of a registered token issuer.',
  'assertion-algorithm-not-allowed':
    'The signature algorithm (alg) of the assertion is not allowed for its issuer. Ask the operator to allow it.',
  'assertion-not-authentic': 'The assertion was not signed by a key of its issuer.',
  'assertion-expired': 'The assertion has expired. Send a new one.',
  'assertion-not-yet-valid': 'The assertion is not valid yet. Check the clocks.',
  'assertion-lifetime-too-long': 'The assertion is valid for longer than this server accepts. Ask for a shorter one.',
  'assertion-audience-wrong': 'aud of the assertion does not name this server.',
  'assertion-rule-unmatched':
    'The claims of the assertion do not match exactly one rule for its issuer. Ask the operator.',
  'assertion-name-malformed': 'The claims that name the workload are missing or malformed. Ask the operator.',
  'assertion-identity-unknown': 'No identity belongs to this assertion.',
  'assertion-identity-ambiguous': 'Several identities would match this assertion.',
  'assertion-used': 'This assertion was used before. Send a new one.',
  'token-issuer-not-for-integration': 'Assertions of this kind may not use this API integration.',
  'access-token-missing': 'Send the access token as Authorization: Bearer.',
  'access-token-in-query': 'Send the access token as Authorization: Bearer, never in the address.',
  'access-token-not-authentic': 'This access token was not issued here or was damaged on the way.',
  'access-token-expired': 'This access token has expired. Refresh it.',
  'access-token-superseded': 'This access token was superseded by a refresh. Use the newest one.',
  'access-token-of-another-integration': 'This access token belongs to another client_id.',
  'resource-server-proof-missing':
    'Say which resource server asks: by HTTP Basic, client_id and client_secret, a certificate or an access token.',
  'resource-server-unproven': 'This resource server is unknown, or what was sent does not prove it. Ask the operator.',
  'client-unproven':
    'The client could not be authenticated: its key or secret is unknown, has ended, or may not be used from here. Ask the operator.',
  'client-authentication-required': 'This request needs client authentication, by key or secret.',
  'grant-of-oauth-door': 'This grant can be used at the OAuth token endpoint only.',
  'assertion-of-another-integration': 'client_id of the assertion names another client.',
  'subject-token-invalid': 'The subject_token is not valid, or not for the resource server of this client.',
  'exchange-not-allowed': 'This client may not exchange this token. Ask the operator.',
  'exchange-unbound':
    'The subject_token is bound to a key. Present a client certificate or a DPoP proof, to which the new token is bound.',
  'dpop-proof-missing': 'This request needs a DPoP proof. Send it as the header DPoP, to the OAuth token endpoint.',
  'dpop-key-differs': 'This grant is bound to another key, or to none. Use its key, or authorize anew.',
  'cap-reached':
    'This grant, identity or integration has more new grants or refreshes than its cap allows. Keep the tokens you have until they expire, then ask again. If you need more, ask the operator.',
  'revocation-unavailable': 'Whether the client certificate was revoked cannot be found out now. Ask again.',
  'assertion-keys-unavailable': 'The keys of the issuer of the assertion cannot be fetched now. Ask again.',
};

/** Of a list as OAuth writes it (RFC 6749 3.3). */
export const SCOPE_LIST_MALFORMED = 'scope is malformed. Write resource:permission, separated by spaces.';

const ASK_AGAIN: readonly string[] = WAITING_REASONS;

const NAMING_THE_RULE: readonly string[] = [
  'certificate-refused-by-policy',
  'certificate-issuer-not-approved',
] satisfies readonly RefusalReason[];

export type TokenReason = RefusalReason | TransportReason;

export function describe({ reason, retryAfter, rule }: Refusal<TokenReason>): string {
  const words = isTransport(reason) ? TRANSPORT_WORDS[reason].text : DESCRIPTIONS[reason];
  const broken = NAMING_THE_RULE.includes(reason) ? wordsOfRule(rule) : undefined;
  if (broken) return `${words.slice(0, -1)}: ${broken}.`;
  return ASK_AGAIN.includes(reason) && retryAfter !== undefined
    ? `${words} Ask again in ${retryAfter} seconds.`
    : words;
}

export function isTransport(reason: TokenReason): reason is ServerReason {
  return reason in TRANSPORT_WORDS;
}
