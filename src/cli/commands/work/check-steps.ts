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
import { meaningOf } from '../../../operations/admin/refusal-meaning.ts';

export interface CheckStep {
  readonly check: string;
  readonly refusals: readonly string[];
  readonly clause: string;
  /** Only a real request can be checked for this; a dry run leaves it out. */
  readonly ofRequest?: true;
}

/** `key-missing` belongs to the step that checks the token. */
const OF_HTTP = TRANSPORT_REASONS.filter((reason) => reason !== 'key-missing');

/** Checks that several operations have. A star: of a real request only. */
const SHARED = `
HTTP*           the request is well-formed, and the server has room for it | ${OF_HTTP.join(' ')} refresh-by-form
      | contract 4, 7; RFC 9110
REQUEST*        it names a client id and exactly one credential, of the grant type it names
      | client-id-missing client-id-ambiguous client-authentication-repeated client-authentication-unsupported
      client-assertion-type-unsupported token-type-unsupported credential-ambiguous credential-missing
      grant-type-missing grant-type-unsupported token-missing | contract 4.1; RFC 6749 2.3, 5.2
PROOF           a DPoP proof is of this request, new and well signed, where one is sent or needed
      | dpop-proof-invalid dpop-nonce-needed dpop-proofs-too-many dpop-proof-missing | RFC 9449 4.3, 8
AUTHENTICATED   the client has authenticated with its key or secret, where it sends one or needs one
      | client-unproven client-authentication-required | RFC 6749 2.3; docs/workloads.md
CLIENT          it names a client id | client-id-missing | contract 4
INTEGRATION     the integration is registered and enabled | integration-unknown integration-disabled | contract 1.1, 7.1
DEVICE_FLOW     device authorization is on, for the server and the integration | device-flow-disabled | contract 7.1
CODE_FLOW       authorization by code is on for the integration | code-flow-disabled | docs/agents.md
SCOPE           the scope is well-formed and within that of the integration
      | scope-missing scope-malformed scope-exceeds-integration | contract 2.2
TARGET          resource names resource servers that the scope concerns | resource-unknown resource-outside-scope
      | RFC 8707 2
SCOPE_STILL     the integration still has the scope | scope-no-longer-allowed | contract 2.2; docs/spec-gaps.md, Scope
IDENTITY        the identity exists, is enabled, and may use the API and this integration | ${IDENTITY_REASONS.join(' ')}
      | contract 7.1; docs/spec-gaps.md, Administration
LIMIT*          the address, the identity and the integration are within their limits | rate-limited cap-reached
      | docs/operators.md, Under attack and overload
RESOURCE_SERVER the caller is a registered resource server | resource-server-proof-missing resource-server-unproven
      | RFC 7662 2.1
BEARER*         there is a bearer token in the header | access-token-missing access-token-in-query | RFC 6750 2
`;

/** By operation: the names of shared checks, and its own. */
const OPERATIONS = `
refresh
  HTTP PROOF REQUEST AUTHENTICATED INTEGRATION
  the refresh token was minted here and is unchanged | refresh-token-not-authentic key-missing
      | docs/exactly-once-refresh.md, Specification
  its grant exists | grant-unknown | contract 3
  the grant belongs to this client id | refresh-token-of-another-integration | RFC 6749 6
  the grant is not revoked | grant-revoked | contract 3
  refresh_until has not passed | grant-expired | contract 3
  the integration offers refresh | refresh-not-offered | docs/spec-gaps.md, Departures
  the grant may be refreshed at this door | grant-of-oauth-door | docs/workloads.md
  the key of the DPoP proof is that of the grant | dpop-key-differs | RFC 9449 5
  the certificate that the grant is bound to was presented | certificate-binding-unmet revocation-unavailable
      | docs/certificates.md, Binding refreshes to a certificate
  the token is the current one, or a retry of the last one within the window | refresh-token-reused store-rolled-back
      | docs/exactly-once-refresh.md; RFC 9700 4.14.2
  SCOPE_STILL
  a scope in the request is within that of the grant | scope-malformed scope-exceeds-grant | RFC 6749 6
  resource is that of the grant | resource-differs-from-grant | RFC 8707 2.2
  IDENTITY LIMIT
redeem
  HTTP PROOF REQUEST AUTHENTICATED INTEGRATION DEVICE_FLOW
  the device code was minted here and exists | device-code-not-authentic key-missing | contract 3
  it belongs to this client id | device-code-of-another-integration | RFC 8628 3.4
  it was not redeemed before | device-code-redeemed | contract 3
  it has not expired | device-code-expired | RFC 8628 3.5
  not too many sign-ins failed for it | device-code-spent | contract 7.1
  it was not ended with its integration or its person | code-ended | contract 3
  the person did not deny | device-denied | contract 7.1; RFC 8628 3.5
  the person has decided | authorization-pending polled-too-fast | contract 7.1; RFC 8628 3.5
  SCOPE_STILL
  resource is within that of the device authorization | resource-differs-from-grant | RFC 8707 2.2
  IDENTITY LIMIT
redeem-code
  HTTP REQUEST INTEGRATION CODE_FLOW
  the code was issued here for this client id, redirect URI and verifier | code-not-authentic key-missing
      | RFC 6749 4.1.3; RFC 7636 4.6
  it was not redeemed before | code-redeemed | RFC 6749 4.1.2
  it has not expired | code-expired | RFC 6749 4.1.2
  it was not ended with its integration or its person | code-ended | contract 3
  SCOPE_STILL
  resource is within that of the code | resource-differs-from-grant | RFC 8707 2.2
  IDENTITY LIMIT
page-authorize
  HTTP LIMIT INTEGRATION CODE_FLOW
  the redirect URI is registered | redirect-uri-unknown | RFC 6749 3.1.2; RFC 9700 4.1
  it asks for a code, with a challenge | response-type-unsupported code-challenge-missing | RFC 6749 4.1.1; RFC 7636 4.3
  SCOPE TARGET
authorize-device
  HTTP LIMIT REQUEST INTEGRATION DEVICE_FLOW SCOPE TARGET
authorize-certificate
  HTTP LIMIT CLIENT
  the certificate is accepted: tessera explain certificate shows every rule
      | certificate-missing certificate-repeated ${CERTIFICATE_VERDICTS.join(' ')} | contract 5.4; RFC 5280 6
  the certificate names exactly one identity | ${CERTIFICATE_NAME_VERDICTS.join(' ')} | contract 5.4
  INTEGRATION
  authorization by certificate is on for it | certificate-flow-disabled | contract 7.2
  SCOPE TARGET
  the issuer may serve this integration | issuer-not-for-integration | docs/certificates.md, Approving an issuer
  IDENTITY
authorize-assertion
  HTTP LIMIT PROOF REQUEST INTEGRATION AUTHENTICATED
  authorization by assertion is on for it | assertion-flow-disabled | RFC 7523 2.1
  the assertion is accepted: tessera token-issuer explain shows every step
      | ${ASSERTION_VERDICTS.join(' ')} assertion-keys-unavailable | RFC 7523 3; docs/workloads.md
  the rule may serve this integration | token-issuer-not-for-integration | docs/workloads.md
  an assertion of an enterprise names the client that sends it | assertion-of-another-integration
      | ID-JAG 5; docs/workloads.md
  SCOPE TARGET
  the assertion names exactly one identity | ${ASSERTION_IDENTITY_VERDICTS.join(' ')} | docs/workloads.md
  IDENTITY
  the assertion was not used before | assertion-used | RFC 7523 3
authorize-client
  HTTP PROOF LIMIT REQUEST INTEGRATION AUTHENTICATED SCOPE TARGET IDENTITY
exchange
  HTTP PROOF LIMIT REQUEST INTEGRATION AUTHENTICATED
  the subject token is live, and for the resource server of the client | subject-token-invalid | RFC 8693 2.2.2
  the integration of the subject token lists the client | exchange-not-allowed | docs/workloads.md
  SCOPE
  the scope is within that of the subject token and of the list | scope-exceeds-grant | RFC 8693 2.1
  TARGET IDENTITY
  a bound token gives one that is bound to the client | exchange-unbound | docs/workloads.md
introspect
  HTTP LIMIT REQUEST RESOURCE_SERVER
snapshot-revocations
  HTTP LIMIT RESOURCE_SERVER
follow-revocations
  HTTP LIMIT RESOURCE_SERVER
  the cursor is of this store and not too old | cursor-missing cursor-gone | docs/resource-servers.md
verify
  HTTP BEARER LIMIT
  the access token was minted here and is unchanged | access-token-not-authentic key-missing
      | docs/exactly-once-refresh.md, Specification
  its grant is not revoked | grant-revoked | contract 3
  it has not expired | access-token-expired | contract 1.2
  it was not superseded | access-token-superseded | docs/configuration.md, tokens.accessTokenOverlap
  INTEGRATION IDENTITY SCOPE_STILL
revoke
  HTTP REQUEST BEARER LIMIT INTEGRATION
  the token was minted here and is unchanged | access-token-not-authentic key-missing | RFC 7009 2.1
  it belongs to this client id | access-token-of-another-integration refresh-token-of-another-integration
      | RFC 7009 2.1
  the grant is not revoked already | grant-revoked | docs/spec-gaps.md, Other operations
`;

function linesIn(text: string): string[] {
  return text
    .trim()
    .replaceAll(/\n {6}/g, ' ')
    .split('\n');
}

function stepOf(line: string): CheckStep {
  const [check = '', refusals = '', clause = ''] = line.split(' | ');
  return { check, refusals: refusals.split(' '), clause };
}

const steps = new Map(
  linesIn(SHARED).map((line) => {
    const [, name = '', star, rest = ''] = /^(\w+)(\*?) +(.+)$/.exec(line) ?? [];
    return [name, { ...stepOf(rest), ...(star && { ofRequest: true as const }) }];
  }),
);

function stepsOf(line: string): readonly CheckStep[] {
  return line.includes('|') ? [stepOf(line)] : line.split(' ').flatMap((name) => steps.get(name) ?? missing(name));
}

/** For a scope alone, whatever the operation. */
export const SCOPE_STEPS = stepsOf('INTEGRATION SCOPE');

export const CHECK_STEPS: Readonly<Record<string, readonly CheckStep[]>> = Object.fromEntries(
  linesIn(OPERATIONS)
    .join('\n')
    .split(/\n(?! )/)
    .map((block) => {
      const [operation = '', ...lines] = block.split('\n').map((line) => line.trim());
      return [operation, lines.flatMap(stepsOf)];
    }),
);

function missing(name: string): never {
  throw new Error(`there is no step ${name}`);
}

/** The verdict of `tessera explain`: the checks up to the one that failed, then what the refusal means. `refusal`: undefined if the request was accepted. */
export function verdictLines(steps: readonly CheckStep[], refusal: string | undefined): string[] {
  if (refusal === undefined) return [...steps.map(({ check, clause }) => `pass ${check} (${clause})`), 'accepted'];
  const failed = steps.findIndex(({ refusals }) => refusals.includes(refusal));
  const lines = steps.slice(0, failed + 1).map(({ check, clause }, index) => {
    return index < failed ? `pass ${check} (${clause})` : `FAIL ${check} (${clause}): ${refusal}`;
  });
  const left = steps.length - lines.length;
  if (failed >= 0 && left > 0) lines.push(`     further checks, not reached: ${left}`);
  return [...lines, `refused: ${refusal}`, wordsOf(refusal)];
}

/** Undefined if there is no such refusal. */
export function refusalLines(refusal: string): string[] | undefined {
  const operations = Object.entries(CHECK_STEPS).filter(([, steps]) =>
    steps.some(({ refusals }) => refusals.includes(refusal)),
  );
  // The container image has no pages.
  if (operations.length === 0 && !meaningOf(refusal)) return undefined;
  const isEvery = operations.length === Object.keys(CHECK_STEPS).length;
  const names = isEvery ? 'every operation' : operations.map(([name]) => name).join(', ') || 'the pages for people';
  return [`possible in: ${names}`, wordsOf(refusal)];
}

function wordsOf(refusal: string): string {
  return `  ${meaningOf(refusal) ?? `See ${refusal} in docs/errors.md.`}`;
}
