// What only /oauth2 refuses, besides assertions.
import { type Group, inClass } from './declaration.ts';

/** About the resource servers that the request names (RFC 8707). */
export const RESOURCE = inClass('target', {
  'resource-unknown': {
    says: 'resource does not name a resource server. Send its audience exactly as it is registered.',
  },
  'resource-outside-scope': {
    says: 'resource names a resource server that serves nothing of the scope.',
    caller: 'Omit `resource`, request its scope, or get a new grant.',
  },
  'resource-differs-from-grant': { says: 'resource differs from that of the grant. Leave it out to keep the same.' },
} satisfies Group);

export const CODE = inClass('grant', {
  'code-flow-disabled': {
    class: 'not-allowed',
    says: 'Authorization by code is disabled for this API integration.',
    operator: '`tessera integration change ID --redirect-uri URI`.',
    page: 403,
  },
  'redirect-uri-unknown': {
    says: 'redirect_uri is missing, or not one that is registered for this client_id.',
    caller: 'Send a registered `redirect_uri` exactly; on loopback the port may differ.',
    page: 400,
  },
  'response-type-unsupported': {
    class: 'response-type',
    says: 'Only response_type=code is supported, with response_mode=query.',
  },
  'code-challenge-missing': {
    class: 'misused',
    says: 'Send code_challenge with code_challenge_method=S256 (RFC 7636).',
  },
  'code-not-authentic': {
    says: 'This code was not issued here, or not for this client_id, redirect_uri and code_verifier (43 to 128 characters).',
    caller: 'Send `client_id`, `redirect_uri` and `code_verifier` of the request.',
  },
  'code-expired': {
    says: 'This code has expired. Start again.',
    caller: 'Start again. A code works once, within 60 seconds.',
  },
  'code-redeemed': {
    says: 'This code was redeemed before, so its grant was ended. Start again.',
    caller: 'Start again. A code works once, within 60 seconds.',
  },
} satisfies Group);

/** A resource server that asks about a token. */
export const RESOURCE_SERVER = inClass('resource-server', {
  'resource-server-proof-missing': {
    says: 'Say which resource server asks: by HTTP Basic, client_id and client_secret, a certificate or an access token.',
  },
  'resource-server-unproven': {
    says: 'This resource server is unknown, or what was sent does not prove it. Ask the operator.',
    caller: 'Send secret, certificate or access token of an enabled resource server.',
  },
} satisfies Group);

/** Integrations that authenticate, token exchange, and grants that are asked for less, or by somebody else. */
export const CLIENT = inClass('misused', {
  'scope-exceeds-grant': {
    class: 'scope',
    says: 'scope exceeds the scope of the grant. Leave it out to keep the scope of the grant.',
    caller: 'Omit `scope`, or get a new grant.',
  },
  'access-token-of-another-integration': {
    class: 'token',
    says: 'This access token belongs to another client_id.',
    caller: 'Send the `client_id` of the token.',
  },
  'client-unproven': {
    class: 'client',
    says: 'The client could not be authenticated: its key or secret is unknown, has ended, or may not be used from here. Ask the operator.',
    caller: 'Check key and secret: they may have ended, or not work from this address.',
    operator: '`tessera integration show`.',
    repair: ['integration', 'keys'],
  },
  'subject-token-invalid': {
    says: 'The subject_token is not valid, or not for the resource server of this client.',
    caller: 'Send the access token that this API received.',
  },
  'exchange-not-allowed': {
    class: 'not-allowed',
    says: 'This client may not exchange this token. Ask the operator.',
    operator: '`tessera integration change`, `--exchange` and `--resource-server`.',
    repair: ['integration', 'exchange'],
  },
  'exchange-unbound': {
    says: 'The subject_token is bound to a key. Present a client certificate or a DPoP proof, to which the new token is bound.',
  },
} satisfies Group);

/** Requests that the door cannot read. */
export const MISREAD = inClass('request', {
  'client-id-ambiguous': { says: 'client_id in the body and in the Authorization header differ.' },
  'client-authentication-repeated': { says: 'Authenticate in one way only: in the header or in the form.' },
  'client-authentication-unsupported': {
    class: 'client',
    says: 'The Authorization header is not HTTP Basic with a client_id. Send one, or client_id in the form.',
  },
  'client-assertion-type-unsupported': {
    says: 'client_assertion needs client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer.',
  },
  'token-type-unsupported': {
    says: 'An access token can be exchanged for an access token, and a JWT of a platform: see subject_token_type and requested_token_type.',
    caller: 'Exchange access tokens only, without `actor_token`.',
  },
  'grant-type-missing': { says: 'grant_type is missing.' },
  'token-missing': { says: 'token is missing.' },
} satisfies Group);

/** The door itself: no operation refuses so. */
export const OF_OAUTH = {
  ...MISREAD,
  ...inClass('request', {
    'dpop-proof-invalid': {
      class: 'proof',
      says: 'The DPoP proof is not valid: check typ, alg, jwk, htm, htu, iat and the signature, and make a new one for each request.',
    },
    'dpop-nonce-needed': { class: 'nonce', says: 'Make a new DPoP proof with the nonce of the header DPoP-Nonce.' },
    'dpop-proofs-too-many': {
      class: 'too-many',
      says: 'This key has sent more DPoP proofs in the last minute than its share. Wait, then ask again.',
      caller: 'Slow down (429 `slow_down`): this key has [taken its share](workloads.md#dpop). Others are not refused.',
    },
    'cursor-missing': {
      says: 'Send the cursor of a snapshot as Last-Event-ID or as after. For a snapshot, accept application/json.',
    },
    'cursor-gone': {
      class: 'cursor-gone',
      says: 'This cursor is too old, or it is of another store or resource server. Take a snapshot.',
    },
  } satisfies Group),
};
