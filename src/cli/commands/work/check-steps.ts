// Every check of an operation in the order of the rules (src/core/rules), with the refusals it can end in and its clause. A test
// compares the lists with the refusals that exist.
import {
  ASSERTION_IDENTITY_VERDICTS,
  ASSERTION_VERDICTS,
  CERTIFICATE_NAME_VERDICTS,
  CERTIFICATE_VERDICTS,
  IDENTITY_REASONS,
} from '../../../core/refusal.ts';
import { TRANSPORT_REASONS } from '../../../doors/http/transport-refusal.ts';

export interface CheckStep {
  readonly check: string;
  readonly refusals: readonly string[];
  readonly clause: string;
  /** Only a real request can be checked for this; a dry run leaves it out. */
  readonly ofRequest?: true;
}

/** `key-missing` belongs to the step that checks the token. */
const HTTP: CheckStep = {
  check: 'the request is well-formed, and the server has room for it',
  refusals: [...TRANSPORT_REASONS.filter((reason) => reason !== 'key-missing'), 'refresh-by-form'],
  clause: 'contract 4, 7; RFC 9110',
  ofRequest: true,
};
const REQUEST: CheckStep = {
  check: 'it names a client id and exactly one credential, of the grant type it names',
  refusals: [
    'client-id-missing',
    'client-id-ambiguous',
    'client-authentication-repeated',
    'client-authentication-unsupported',
    'credential-ambiguous',
    'credential-missing',
    'grant-type-missing',
    'grant-type-unsupported',
    'token-missing',
  ],
  clause: 'contract 4.1; RFC 6749 2.3, 5.2',
  ofRequest: true,
};
const CLIENT: CheckStep = { check: 'it names a client id', refusals: ['client-id-missing'], clause: 'contract 4' };
const INTEGRATION: CheckStep = {
  check: 'the integration is registered and enabled',
  refusals: ['integration-unknown', 'integration-disabled'],
  clause: 'contract 2.3',
};
const DEVICE_FLOW: CheckStep = {
  check: 'device authorization is on, for the server and the integration',
  refusals: ['device-flow-disabled'],
  clause: 'contract 7.1',
};
const CODE_FLOW: CheckStep = {
  check: 'authorization by code is on for the integration',
  refusals: ['code-flow-disabled'],
  clause: 'docs/agents.md',
};
const SCOPE: CheckStep = {
  check: 'the scope is well-formed and within that of the integration',
  refusals: ['scope-missing', 'scope-malformed', 'scope-exceeds-integration'],
  clause: 'contract 2.2',
};
const TARGET: CheckStep = {
  check: 'resource names resource servers that the scope concerns',
  refusals: ['resource-unknown', 'resource-outside-scope'],
  clause: 'RFC 8707 2',
};
const SCOPE_STILL: CheckStep = {
  check: 'the integration still has the scope',
  refusals: ['scope-no-longer-allowed'],
  clause: 'contract 2.2; docs/spec-gaps.md, Scope',
};
const IDENTITY: CheckStep = {
  check: 'the identity exists, is enabled, and may use the API and this integration',
  refusals: IDENTITY_REASONS,
  clause: 'contract 7.1; docs/spec-gaps.md, Administration',
};
const LIMIT: CheckStep = {
  check: 'the address, the identity and the integration are within their limits',
  refusals: ['rate-limited', 'cap-reached'],
  clause: 'docs/operators.md, Under attack and overload',
  ofRequest: true,
};

const RESOURCE_SERVER: CheckStep = {
  check: 'the caller is a registered resource server',
  refusals: ['resource-server-proof-missing', 'resource-server-unproven'],
  clause: 'RFC 7662 2.1',
};
const BEARER: CheckStep = {
  check: 'there is a bearer token in the header',
  refusals: ['access-token-missing', 'access-token-in-query'],
  clause: 'RFC 6750 2',
  ofRequest: true,
};

/** For a scope alone, whatever the operation. */
export const SCOPE_STEPS: readonly CheckStep[] = [INTEGRATION, SCOPE];

function step(check: string, refusals: readonly string[], clause: string): CheckStep {
  return { check, refusals, clause };
}

export const CHECK_STEPS: Readonly<Record<string, readonly CheckStep[]>> = {
  refresh: [
    HTTP,
    REQUEST,
    INTEGRATION,
    step(
      'the refresh token was minted here and is unchanged',
      ['refresh-token-not-authentic', 'key-missing'],
      'docs/exactly-once-refresh.md, Specification',
    ),
    step('its grant exists', ['grant-unknown'], 'contract 3'),
    step('the grant belongs to this client id', ['refresh-token-of-another-integration'], 'RFC 6749 6'),
    step('the grant is not revoked', ['grant-revoked'], 'contract 3'),
    step('refresh_until has not passed', ['grant-expired'], 'contract 3'),
    step('the integration offers refresh', ['refresh-not-offered'], 'docs/spec-gaps.md, Departures'),
    step(
      'the certificate that the grant is bound to was presented',
      ['certificate-binding-unmet', 'revocation-unavailable'],
      'docs/certificates.md, Binding refreshes to a certificate',
    ),
    step(
      'the token is the current one, or a retry of the last one within the window',
      ['refresh-token-reused', 'store-rolled-back'],
      'docs/exactly-once-refresh.md; RFC 9700 4.14.2',
    ),
    SCOPE_STILL,
    step(
      'a scope in the request is within that of the grant',
      ['scope-malformed', 'scope-exceeds-grant'],
      'RFC 6749 6',
    ),
    step('resource is that of the grant', ['resource-differs-from-grant'], 'RFC 8707 2.2'),
    IDENTITY,
    LIMIT,
  ],
  redeem: [
    HTTP,
    REQUEST,
    INTEGRATION,
    DEVICE_FLOW,
    step('the device code was minted here and exists', ['device-code-not-authentic', 'key-missing'], 'contract 3'),
    step('it belongs to this client id', ['device-code-of-another-integration'], 'RFC 8628 3.4'),
    step('it was not redeemed before', ['device-code-redeemed'], 'contract 3'),
    step('it has not expired', ['device-code-expired'], 'RFC 8628 3.5'),
    step('not too many sign-ins failed for it', ['device-code-spent'], 'contract 7.1'),
    step('the person did not deny', ['device-denied'], 'contract 7.1; RFC 8628 3.5'),
    step('the person has decided', ['authorization-pending', 'polled-too-fast'], 'contract 7.1; RFC 8628 3.5'),
    SCOPE_STILL,
    step('resource is within that of the device authorization', ['resource-differs-from-grant'], 'RFC 8707 2.2'),
    IDENTITY,
    LIMIT,
  ],
  'redeem-code': [
    HTTP,
    REQUEST,
    INTEGRATION,
    CODE_FLOW,
    step(
      'the code was issued here for this client id, redirect URI and verifier',
      ['code-not-authentic', 'key-missing'],
      'RFC 6749 4.1.3; RFC 7636 4.6',
    ),
    step('it was not redeemed before', ['code-redeemed'], 'RFC 6749 4.1.2'),
    step('it has not expired', ['code-expired'], 'RFC 6749 4.1.2'),
    SCOPE_STILL,
    step('resource is within that of the code', ['resource-differs-from-grant'], 'RFC 8707 2.2'),
    IDENTITY,
    LIMIT,
  ],
  'page-authorize': [
    HTTP,
    LIMIT,
    INTEGRATION,
    CODE_FLOW,
    step('the redirect URI is registered', ['redirect-uri-unknown'], 'RFC 6749 3.1.2; RFC 9700 4.1'),
    step(
      'it asks for a code, with a challenge',
      ['response-type-unsupported', 'code-challenge-missing'],
      'RFC 6749 4.1.1; RFC 7636 4.3',
    ),
    SCOPE,
    TARGET,
  ],
  'authorize-device': [HTTP, LIMIT, REQUEST, INTEGRATION, DEVICE_FLOW, SCOPE, TARGET],
  'authorize-certificate': [
    HTTP,
    LIMIT,
    CLIENT,
    step(
      'the certificate is accepted: tessera explain certificate shows every rule',
      ['certificate-missing', 'certificate-repeated', ...CERTIFICATE_VERDICTS],
      'contract 5.4; RFC 5280 6',
    ),
    step('the certificate names exactly one identity', CERTIFICATE_NAME_VERDICTS, 'contract 5.4'),
    INTEGRATION,
    step('authorization by certificate is on for it', ['certificate-flow-disabled'], 'contract 7.1'),
    SCOPE,
    TARGET,
    step(
      'the issuer may serve this integration',
      ['issuer-not-for-integration'],
      'docs/certificates.md, Approving an issuer',
    ),
    IDENTITY,
  ],
  'authorize-assertion': [
    HTTP,
    LIMIT,
    REQUEST,
    INTEGRATION,
    step('authorization by assertion is on for it', ['assertion-flow-disabled'], 'RFC 7523 2.1'),
    step(
      'the assertion is accepted: tessera token-issuer explain shows every step',
      [...ASSERTION_VERDICTS, 'assertion-keys-unavailable'],
      'RFC 7523 3; docs/workloads.md',
    ),
    step('the rule may serve this integration', ['token-issuer-not-for-integration'], 'docs/workloads.md'),
    SCOPE,
    TARGET,
    step('the assertion names exactly one identity', ASSERTION_IDENTITY_VERDICTS, 'docs/workloads.md'),
    IDENTITY,
    step('the assertion was not used before', ['assertion-used'], 'RFC 7523 3'),
  ],
  introspect: [HTTP, LIMIT, REQUEST, RESOURCE_SERVER],
  'snapshot-revocations': [HTTP, LIMIT, RESOURCE_SERVER],
  'follow-revocations': [
    HTTP,
    LIMIT,
    RESOURCE_SERVER,
    step('the cursor is of this store and not too old', ['cursor-missing', 'cursor-gone'], 'docs/resource-servers.md'),
  ],
  verify: [
    HTTP,
    BEARER,
    LIMIT,
    step(
      'the access token was minted here and is unchanged',
      ['access-token-not-authentic', 'key-missing'],
      'docs/exactly-once-refresh.md, Specification',
    ),
    step('its grant is not revoked', ['grant-revoked'], 'contract 3'),
    step('it has not expired', ['access-token-expired'], 'contract 1.2'),
    step('it was not superseded', ['access-token-superseded'], 'docs/configuration.md, tokens.accessTokenOverlap'),
    INTEGRATION,
    IDENTITY,
    SCOPE_STILL,
  ],
  revoke: [
    HTTP,
    REQUEST,
    BEARER,
    LIMIT,
    INTEGRATION,
    step('the token was minted here and is unchanged', ['access-token-not-authentic', 'key-missing'], 'RFC 7009 2.1'),
    step(
      'it belongs to this client id',
      ['access-token-of-another-integration', 'refresh-token-of-another-integration'],
      'RFC 7009 2.1',
    ),
    step('the grant is not revoked already', ['grant-revoked'], 'docs/spec-gaps.md, Other operations'),
  ],
};
