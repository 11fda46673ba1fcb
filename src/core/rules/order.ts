// Every check of an operation in the order of its rules, with the refusals it can end in and its clause. `tessera explain` prints
// them; test/core/ladder.ts compares them with what the rules do.
import type { CallerReason } from '../refusal.ts';
import { ASSERTION_IDENTITY, ASSERTION_VERDICT } from '../refusals/assertions.ts';
import { CERTIFICATE, CERTIFICATE_NAME, CERTIFICATE_VERDICT } from '../refusals/certificates.ts';
import { reasonsOf } from '../refusals/declaration.ts';
import * as grants from '../refusals/grants.ts';
import { OF_SERVER } from '../refusals/server.ts';
import { MISREAD } from '../refusals/standard.ts';

export interface CheckStep {
  readonly check: string;
  readonly clause: string;
  readonly refusals: readonly CallerReason[];
  /** `request`: only a real one can be checked for this; a dry run leaves it out. */
  readonly of?: 'request';
}

function step(check: string, clause: string, refusals: readonly CallerReason[], of?: 'request'): CheckStep {
  return { check, clause, refusals, ...(of && { of }) };
}

/** `key-missing` belongs to the step that checks the token. */
const OF_HTTP = reasonsOf(OF_SERVER).filter((reason) => reason !== 'key-missing');

const HTTP = step(
  'the request is well-formed, and the server has room for it',
  'contract 4, 7; RFC 9110',
  [...OF_HTTP, 'refresh-by-form'],
  'request',
);
const REQUEST = step(
  'it names a client id and exactly one credential, of the grant type it names',
  'contract 4.1; RFC 6749 2.3, 5.2',
  [...reasonsOf(grants.ASKED), ...reasonsOf(MISREAD)],
  'request',
);
const PROOF = step('a DPoP proof that was sent is of this request, new and well signed', 'RFC 9449 4.3, 8', [
  'dpop-proof-invalid',
  'dpop-nonce-needed',
  'dpop-proofs-too-many',
]);
/** Of a platform, or of a client that authenticates with its key. */
const OF_ASSERTION = [...reasonsOf(ASSERTION_VERDICT), 'assertion-keys-unavailable'] as const;
const AUTHENTICATED = step('a key or secret that was sent is that of the client', 'RFC 6749 2.3; docs/workloads.md', [
  'client-unproven',
  ...OF_ASSERTION,
  'assertion-used',
]);
const AUTHENTICATED_TO_ASSERT = { ...AUTHENTICATED, refusals: ['client-unproven'] } as const;
const AUTHENTICATION = step('the client has authenticated, if it must', 'RFC 6749 2.3; docs/workloads.md', [
  'client-authentication-required',
]);
const BOUND = step('there is a DPoP proof, if the integration needs one', 'RFC 9449 5', ['dpop-proof-missing']);
const CLIENT = step('it names a client id', 'contract 4', ['client-id-missing']);
const INTEGRATION = step('the integration is registered and enabled', 'contract 1.1, 7.1', [
  'integration-unknown',
  'integration-disabled',
]);
const CERTIFIED = step(
  'the certificate is accepted: tessera explain certificate shows every rule',
  'contract 5.4; RFC 5280 6',
  [...reasonsOf(CERTIFICATE), ...reasonsOf(CERTIFICATE_VERDICT)],
);
const NAMED = step('the certificate names exactly one identity', 'contract 5.4', reasonsOf(CERTIFICATE_NAME));
const CERTIFICATE_FLOW = step('authorization by certificate is on for it', 'contract 7.2', [
  'certificate-flow-disabled',
]);
const DEVICE_FLOW = step('device authorization is on, for the server and the integration', 'contract 7.1', [
  'device-flow-disabled',
]);
const CODE_FLOW = step('authorization by code is on for the integration', 'docs/agents.md', ['code-flow-disabled']);
const SCOPE = step('the scope is well-formed and within that of the integration', 'contract 2.2', [
  'scope-missing',
  'scope-malformed',
  'scope-exceeds-integration',
]);
const TARGET = step('resource names resource servers that the scope concerns', 'RFC 8707 2', [
  'resource-unknown',
  'resource-outside-scope',
]);
const NARROWER = step('resource is within that of the authorization', 'RFC 8707 2.2', [
  'resource-differs-from-grant',
  ...TARGET.refusals,
]);
const SCOPE_STILL = step('the integration still has the scope', 'contract 2.2; docs/spec-gaps.md, Scope', [
  'scope-no-longer-allowed',
]);
const IDENTITY = step(
  'the identity exists, is enabled, and may use the API and this integration',
  'contract 7.1; docs/spec-gaps.md, Administration',
  reasonsOf(grants.IDENTITY),
);
const LIMIT = step(
  'the address, the identity and the integration are within their limits',
  'docs/operators.md, Under attack and overload',
  ['rate-limited', 'cap-reached'],
  'request',
);
const RESOURCE_SERVER = step('the caller is a registered resource server', 'RFC 7662 2.1', [
  'resource-server-proof-missing',
  'resource-server-unproven',
]);
const BEARER = step(
  'there is a bearer token in the header',
  'RFC 6750 2',
  ['access-token-missing', 'access-token-in-query'],
  'request',
);

/** By operation, as the log names it. */
export const CHECK_STEPS: Readonly<Record<string, readonly CheckStep[]>> = {
  refresh: [
    ...[HTTP, PROOF, REQUEST, INTEGRATION, AUTHENTICATED],
    step('the refresh token was minted here and is unchanged', 'docs/exactly-once-refresh.md, Specification', [
      'refresh-token-not-authentic',
      'key-missing',
    ]),
    step('its grant exists', 'contract 3', ['grant-unknown']),
    step('the grant belongs to this client id', 'RFC 6749 6', ['refresh-token-of-another-integration']),
    step('the grant is not revoked', 'contract 3', ['grant-revoked']),
    step('refresh_until has not passed', 'contract 3', ['grant-expired']),
    step('the integration offers refresh', 'docs/spec-gaps.md, Departures', ['refresh-not-offered']),
    step('the client has proven what the grant needs, at a door that takes it', 'RFC 9449 5; docs/workloads.md', [
      'grant-of-oauth-door',
      'client-authentication-required',
      'dpop-proof-missing',
      'dpop-key-differs',
    ]),
    step(
      'the certificate that the grant is bound to was presented',
      'docs/certificates.md, Binding refreshes to a certificate',
      ['certificate-binding-unmet', 'revocation-unavailable'],
    ),
    step(
      'the token is the current one, or a retry of the last one within the window',
      'docs/exactly-once-refresh.md; RFC 9700 4.14.2',
      ['refresh-token-reused', 'store-rolled-back'],
    ),
    SCOPE_STILL,
    step('a scope in the request is within that of the grant', 'RFC 6749 6', [
      'scope-malformed',
      'scope-exceeds-grant',
    ]),
    step('resource is that of the grant', 'RFC 8707 2.2', ['resource-differs-from-grant']),
    ...[IDENTITY, LIMIT],
  ],
  redeem: [
    ...[HTTP, PROOF, REQUEST, INTEGRATION, AUTHENTICATED, DEVICE_FLOW],
    step('the device code was minted here and exists', 'contract 3', ['device-code-not-authentic', 'key-missing']),
    ...[AUTHENTICATION, BOUND],
    step('it may be redeemed at this door', 'docs/workloads.md', ['grant-of-oauth-door']),
    step('it belongs to this client id', 'RFC 8628 3.4', ['device-code-of-another-integration']),
    step('it was not redeemed before', 'contract 3', ['device-code-redeemed']),
    step('it has not expired', 'RFC 8628 3.5', ['device-code-expired']),
    step('not too many sign-ins failed for it', 'contract 7.1', ['device-code-spent']),
    step('it was not ended with its integration or its person', 'contract 3', ['code-ended']),
    step('the person did not deny', 'contract 7.1; RFC 8628 3.5', ['device-denied']),
    step('the person has decided', 'contract 7.1; RFC 8628 3.5', ['authorization-pending', 'polled-too-fast']),
    SCOPE_STILL,
    NARROWER,
    ...[IDENTITY, LIMIT],
  ],
  'redeem-code': [
    ...[HTTP, PROOF, REQUEST, INTEGRATION, AUTHENTICATED, CODE_FLOW, AUTHENTICATION, BOUND],
    step('the code was issued here for this client id, redirect URI and verifier', 'RFC 6749 4.1.3; RFC 7636 4.6', [
      'code-not-authentic',
      'key-missing',
    ]),
    step('it was not redeemed before', 'RFC 6749 4.1.2', ['code-redeemed']),
    step('it has not expired', 'RFC 6749 4.1.2', ['code-expired']),
    step('it was not ended with its integration or its person', 'contract 3', ['code-ended']),
    SCOPE_STILL,
    NARROWER,
    ...[IDENTITY, LIMIT],
  ],
  'page-authorize': [
    ...[HTTP, LIMIT, INTEGRATION, CODE_FLOW],
    step('the redirect URI is registered', 'RFC 6749 3.1.2; RFC 9700 4.1', ['redirect-uri-unknown']),
    step('it asks for a code, with a challenge', 'RFC 6749 4.1.1; RFC 7636 4.3', [
      'response-type-unsupported',
      'code-challenge-missing',
    ]),
    ...[SCOPE, TARGET],
  ],
  'authorize-device': [
    ...[HTTP, LIMIT, REQUEST, INTEGRATION, AUTHENTICATED, DEVICE_FLOW, AUTHENTICATION, SCOPE, TARGET],
  ],
  'authorize-certificate': [
    ...[HTTP, PROOF, LIMIT, CLIENT],
    ...[CERTIFIED, NAMED, INTEGRATION, CERTIFICATE_FLOW, SCOPE, TARGET],
    step('the issuer may serve this integration', 'docs/certificates.md, Approving an issuer', [
      'issuer-not-for-integration',
    ]),
    ...[IDENTITY, BOUND],
  ],
  'authorize-assertion': [
    ...[HTTP, LIMIT, PROOF, REQUEST, INTEGRATION, AUTHENTICATED_TO_ASSERT],
    step('authorization by assertion is on for it', 'RFC 7523 2.1', ['assertion-flow-disabled']),
    step(
      'the assertion is accepted: tessera token-issuer explain shows every step',
      'RFC 7523 3; docs/workloads.md',
      OF_ASSERTION,
    ),
    BOUND,
    step('an assertion of an enterprise names the client that sends it', 'ID-JAG 5; docs/workloads.md', [
      'assertion-of-another-integration',
    ]),
    AUTHENTICATION,
    step('it allows this scope and resource', 'ID-JAG 5', ['resource-differs-from-grant', 'scope-exceeds-grant']),
    step('the rule may serve this integration', 'docs/workloads.md', ['token-issuer-not-for-integration']),
    ...[SCOPE, TARGET],
    step('the assertion names exactly one identity', 'docs/workloads.md', reasonsOf(ASSERTION_IDENTITY)),
    IDENTITY,
    step('the assertion was not used before', 'RFC 7523 3', ['assertion-used']),
  ],
  'authorize-client': [
    ...[HTTP, PROOF, LIMIT, REQUEST, INTEGRATION, AUTHENTICATED, AUTHENTICATION, SCOPE, TARGET, IDENTITY, BOUND],
  ],
  exchange: [
    ...[HTTP, PROOF, LIMIT, REQUEST, INTEGRATION, AUTHENTICATED],
    ...[CERTIFIED, NAMED, CERTIFICATE_FLOW, AUTHENTICATION],
    step('the subject token is live, and for the resource server of the client', 'RFC 8693 2.2.2', [
      'subject-token-invalid',
    ]),
    step('the integration of the subject token lists the client', 'docs/workloads.md', ['exchange-not-allowed']),
    SCOPE,
    step('the scope is within that of the subject token and of the list', 'RFC 8693 2.1', ['scope-exceeds-grant']),
    ...[TARGET, IDENTITY, BOUND],
    step('a bound token gives one that is bound to the client', 'docs/workloads.md', ['exchange-unbound']),
  ],
  introspect: [HTTP, LIMIT, REQUEST, RESOURCE_SERVER],
  'snapshot-revocations': [HTTP, LIMIT, RESOURCE_SERVER],
  'follow-revocations': [
    ...[HTTP, LIMIT, RESOURCE_SERVER],
    step('the cursor is of this store and not too old', 'docs/resource-servers.md', ['cursor-missing', 'cursor-gone']),
  ],
  verify: [
    ...[HTTP, BEARER, LIMIT],
    step('the access token was minted here and is unchanged', 'docs/exactly-once-refresh.md, Specification', [
      'access-token-not-authentic',
      'key-missing',
    ]),
    step('its grant is not revoked', 'contract 3', ['grant-revoked']),
    step('it has not expired', 'contract 1.2', ['access-token-expired']),
    step('it was not superseded', 'docs/configuration.md, tokens.accessTokenOverlap', ['access-token-superseded']),
    ...[INTEGRATION, IDENTITY, SCOPE_STILL],
  ],
  revoke: [
    ...[HTTP, REQUEST, BEARER, LIMIT, INTEGRATION, AUTHENTICATED, AUTHENTICATION],
    step('the token was minted here and is unchanged', 'RFC 7009 2.1', ['access-token-not-authentic', 'key-missing']),
    step('it belongs to this client id', 'RFC 7009 2.1', [
      'access-token-of-another-integration',
      'refresh-token-of-another-integration',
    ]),
    step('the grant is not revoked already', 'docs/spec-gaps.md, Other operations', ['grant-revoked']),
  ],
};

/** For a scope alone, whatever the operation. */
export const SCOPE_STEPS: readonly CheckStep[] = [INTEGRATION, SCOPE];
