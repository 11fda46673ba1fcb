// Checks that several operations have.
import { IDENTITY_REASONS } from '../../../core/refusal.ts';
import { TRANSPORT_REASONS } from '../../../doors/http/transport-refusal.ts';

export interface CheckStep {
  readonly check: string;
  readonly refusals: readonly string[];
  readonly clause: string;
  /** Only a real request can be checked for this; a dry run leaves it out. */
  readonly ofRequest?: true;
}

/** `key-missing` belongs to the step that checks the token. */
export const HTTP: CheckStep = {
  check: 'the request is well-formed, and the server has room for it',
  refusals: [...TRANSPORT_REASONS.filter((reason) => reason !== 'key-missing'), 'refresh-by-form'],
  clause: 'contract 4, 7; RFC 9110',
  ofRequest: true,
};
export const REQUEST: CheckStep = {
  check: 'it names a client id and exactly one credential, of the grant type it names',
  refusals: [
    'client-id-missing',
    'client-id-ambiguous',
    'client-authentication-repeated',
    'client-authentication-unsupported',
    'client-assertion-type-unsupported',
    'token-type-unsupported',
    'credential-ambiguous',
    'credential-missing',
    'grant-type-missing',
    'grant-type-unsupported',
    'token-missing',
  ],
  clause: 'contract 4.1; RFC 6749 2.3, 5.2',
  ofRequest: true,
};
export const PROOF = step(
  'a DPoP proof is of this request, new and well signed, where one is sent or needed',
  ['dpop-proof-invalid', 'dpop-nonce-needed', 'dpop-proof-missing'],
  'RFC 9449 4.3, 8',
);
export const AUTHENTICATED = step(
  'the client has authenticated with its key or secret, where it sends one or needs one',
  ['client-unproven', 'client-authentication-required'],
  'RFC 6749 2.3; docs/workloads.md',
);
export const CLIENT: CheckStep = {
  check: 'it names a client id',
  refusals: ['client-id-missing'],
  clause: 'contract 4',
};
export const INTEGRATION = step(
  'the integration is registered and enabled',
  ['integration-unknown', 'integration-disabled'],
  'contract 2.3',
);
export const DEVICE_FLOW = step(
  'device authorization is on, for the server and the integration',
  ['device-flow-disabled'],
  'contract 7.1',
);
export const CODE_FLOW = step(
  'authorization by code is on for the integration',
  ['code-flow-disabled'],
  'docs/agents.md',
);
export const SCOPE = step(
  'the scope is well-formed and within that of the integration',
  ['scope-missing', 'scope-malformed', 'scope-exceeds-integration'],
  'contract 2.2',
);
export const TARGET = step(
  'resource names resource servers that the scope concerns',
  ['resource-unknown', 'resource-outside-scope'],
  'RFC 8707 2',
);
export const SCOPE_STILL = step(
  'the integration still has the scope',
  ['scope-no-longer-allowed'],
  'contract 2.2; docs/spec-gaps.md, Scope',
);
export const IDENTITY = step(
  'the identity exists, is enabled, and may use the API and this integration',
  IDENTITY_REASONS,
  'contract 7.1; docs/spec-gaps.md, Administration',
);
export const LIMIT: CheckStep = {
  check: 'the address, the identity and the integration are within their limits',
  refusals: ['rate-limited', 'cap-reached'],
  clause: 'docs/operators.md, Under attack and overload',
  ofRequest: true,
};

export const RESOURCE_SERVER = step(
  'the caller is a registered resource server',
  ['resource-server-proof-missing', 'resource-server-unproven'],
  'RFC 7662 2.1',
);
export const BEARER: CheckStep = {
  check: 'there is a bearer token in the header',
  refusals: ['access-token-missing', 'access-token-in-query'],
  clause: 'RFC 6750 2',
  ofRequest: true,
};

export function step(check: string, refusals: readonly string[], clause: string): CheckStep {
  return { check, refusals, clause };
}
