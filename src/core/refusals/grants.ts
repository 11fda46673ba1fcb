// What a token request, its grant or its identity is refused for, at both token doors.
import { type Group, inClass } from './declaration.ts';

export const ASKED = inClass('request', {
  'client-id-missing': { says: 'client_id is missing.' },
  'credential-missing': {
    says: 'Send a device_code with its grant_type, or a refresh_token.',
    oauth:
      'What this grant_type needs is missing: device_code, refresh_token, assertion or subject_token, or code, redirect_uri and code_verifier.',
  },
  'credential-ambiguous': { says: 'Send either a device_code or a refresh_token, not both.' },
  'grant-type-unsupported': {
    class: 'grant-type',
    says: 'grant_type does not fit. A device_code needs urn:ietf:params:oauth:grant-type:device_code.',
    oauth: 'This grant_type is not supported. The metadata of this server lists those that are.',
    caller: 'For a device code send `urn:ietf:params:oauth:grant-type:device_code`, for a refresh none.',
  },
} satisfies Group);

export const INTEGRATION = inClass('client', {
  'integration-unknown': {
    says: 'client_id is not the Client ID of an API integration. It is case sensitive.',
    caller: 'Check the `client_id`; case counts.',
    page: 404,
  },
  'integration-disabled': {
    says: 'This API integration is disabled. Ask the operator.',
    operator: 'enable it.',
    repair: ['integration', 'enabled'],
    page: 404,
  },
  'device-flow-disabled': {
    class: 'device-flow',
    says: 'Browser-based authentication is disabled.',
    caller: 'Use a certificate.',
    operator: 'or allow the flow `device`.',
    repair: ['integration', 'flows'],
    page: 403,
  },
} satisfies Group);

export const SCOPE = inClass('scope', {
  'scope-missing': { says: 'scope is missing.', caller: "Request the integration's scope, or a part." },
  'scope-malformed': {
    says: 'scope is malformed. Write resource:permission,permission;resource:permission without spaces.',
    oauth: 'scope is malformed. Write resource:permission, separated by spaces.',
    caller: 'Write `resource:permission,…;resource:…`, without spaces, permissions in lower case.',
  },
  'scope-exceeds-integration': {
    says: 'scope exceeds the scope of the API integration.',
    caller: 'Request less.',
    operator: 'widen the integration.',
    repair: ['integration', 'scope'],
  },
  'scope-no-longer-allowed': {
    says: 'The API integration no longer covers the scope of this grant. Authorize anew with a smaller scope.',
    caller: 'Get a new grant with a smaller scope.',
    operator: 'widen the integration again.',
    repair: ['integration', 'scope'],
  },
} satisfies Group);

export const GRANT = inClass('grant', {
  'refresh-token-not-authentic': {
    says: 'This refresh_token was not issued here or was damaged on the way.',
    caller: 'Check for truncation; otherwise get a new grant.',
  },
  'refresh-token-of-another-integration': {
    says: 'This refresh_token belongs to another client_id.',
    caller: 'Use the `client_id` it was issued to.',
  },
  'grant-unknown': { says: 'This grant no longer exists. Authorize anew.' },
  'grant-revoked': {
    says: 'This grant was revoked. Authorize anew.',
    caller: 'Get a new grant.',
    operator: 'its events say who ended it.',
  },
  'grant-expired': { says: 'This grant has expired. Authorize anew.' },
  'refresh-not-offered': { says: 'This API integration offers no refresh. Authorize anew.' },
  'refresh-token-reused': {
    says: 'This refresh_token was used before. Always use the newest one. Authorize anew.',
    caller:
      'Get a new grant. A spent token was presented after the retry window: find out who else has it. Programs that share a login need a key, or a window (docs/agents.md).',
  },
  'store-rolled-back': {
    says: 'The server lost the refresh that this token came from, and the grant ended. Authorize anew.',
    caller: 'Get a new grant: after a restore or failover, an older token of this one was used first.',
  },
  'certificate-binding-unmet': {
    says: 'This grant is bound to a client certificate, which this connection did not present.',
    caller: 'Present the certificate of the grant.',
  },
  'grant-of-oauth-door': {
    says: 'This grant can be used at the OAuth token endpoint only.',
    caller: 'Use `/oauth2/token`: the grant needs a key or an authenticated client.',
  },
  'client-authentication-required': {
    class: 'client',
    says: 'This request needs client authentication, by key or secret.',
    caller: 'Send a client assertion or the secret.',
    operator: 'a [confidential](workloads.md#confidential) integration without either is locked.',
  },
  'dpop-proof-missing': {
    class: 'proof',
    says: 'This request needs a DPoP proof. Send it as the header DPoP, to the OAuth token endpoint.',
  },
  'dpop-key-differs': { says: 'This grant is bound to another key, or to none. Use its key, or authorize anew.' },
} satisfies Group);

/** Also of an authorization code: `code-ended`. */
export const DEVICE_CODE = inClass('grant', {
  'device-code-not-authentic': {
    says: 'This device_code was not issued here or was damaged on the way.',
    caller: 'Start again.',
  },
  'device-code-of-another-integration': {
    says: 'This device_code belongs to another client_id.',
    caller: 'Use the `client_id` it was issued to.',
  },
  'device-code-expired': { class: 'code-expired', says: 'This device_code has expired. Start again.', page: 410 },
  'device-code-redeemed': {
    says: 'This device_code was redeemed before. Start again.',
    caller: 'Use the pair from then, or start again.',
  },
  'device-code-spent': { says: 'Sign-in failed too often for this device_code. Start again.', page: 410 },
  'code-ended': {
    says: 'This code was ended, by an operator or by the person. Start again.',
    caller: 'Start again: the integration or identity was removed, its grants were revoked, or the store was restored.',
    page: 410,
  },
  'device-denied': {
    class: 'denied',
    says: 'The request was denied in the browser.',
    caller: 'Stop polling: the person denied.',
  },
} satisfies Group);

/** A device asks before the person has confirmed (RFC 8628 3.5). Nothing went wrong. */
export const WAITING = inClass('waiting', {
  'authorization-pending': {
    says: 'The browser confirmation is missing.',
    caller: 'Poll again after the interval: the person has not decided.',
  },
  'polled-too-fast': {
    class: 'too-fast',
    says: 'The browser confirmation is missing, and this was asked too soon.',
    caller: 'Wait the interval; nothing is lost.',
  },
} satisfies Group);

export const IDENTITY = inClass('identity', {
  'identity-unknown': {
    says: 'The identity of this grant no longer exists.',
    caller: 'Get a new grant: the identity is gone.',
    page: 403,
  },
  'identity-disabled': {
    says: 'This identity is disabled. Ask the operator.',
    operator: 'enable the identity, or allow it to use integrations.',
    repair: ['identity', 'enabled'],
    page: 403,
  },
  'identity-without-api-access': {
    says: 'This identity may not use the web API. Ask the operator.',
    operator: 'enable the identity, or allow it to use integrations.',
    repair: ['identity', 'mayUseApi'],
    page: 403,
  },
  'identity-without-integration-access': {
    says: 'This identity may not use this API integration. Ask the operator.',
    operator: 'add the identity, or its group, to the integration.',
    repair: ['integration', 'access'],
    page: 403,
  },
} satisfies Group);

export const ACCESS_TOKEN = inClass('token', {
  'access-token-missing': { class: 'token-missing', says: 'Send the access token as Authorization: Bearer.' },
  'access-token-in-query': {
    class: 'token-missing',
    says: 'Send the access token as Authorization: Bearer, never in the address.',
    caller: 'Send the token in the header; treat this one as leaked.',
  },
  'access-token-not-authentic': {
    says: 'This access token was not issued here or was damaged on the way.',
    caller: 'Check for truncation; otherwise refresh.',
  },
  'access-token-expired': { says: 'This access token has expired. Refresh it.' },
  'access-token-superseded': { says: 'This access token was superseded by a refresh. Use the newest one.' },
} satisfies Group);

/** What identified callers cause in the store, above its cap. */
export const CAP = inClass('too-many', {
  'cap-reached': {
    says: 'This grant, identity or integration has more new grants or refreshes than its cap allows. Keep the tokens you have until they expire, then ask again. If you need more, ask the operator.',
    caller: 'Keep and refresh one grant.',
    operator: 'the log names the setting.',
  },
} satisfies Group);

/** The authsvc door alone. */
export const OF_AUTHSVC = inClass('request', {
  'refresh-by-form': { says: 'A refresh takes Content-Type: application/json.' },
} satisfies Group);
