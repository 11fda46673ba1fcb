// How pages word refusals: the status, and the saying of the catalogue. Most reasons never reach a browser; should one do
// so all the same, it is our fault.
import type { RefusalReason } from '../core/refusal.ts';
import type { Saying } from './texts/catalogue.ts';

export interface PageWording {
  readonly status: number;
  readonly says: Saying;
}

const fault: PageWording = { status: 500, says: 'fault' };
const unreadable: PageWording = { status: 400, says: 'unreadable' };
const unavailable: PageWording = { status: 503, says: 'unavailable' };
const spent: PageWording = { status: 410, says: 'codeSpent' };
const gone: PageWording = { status: 404, says: 'integrationGone' };
const flowOff: PageWording = { status: 403, says: 'deviceFlowOff' };

export const PAGE_WORDING: Readonly<Record<RefusalReason, PageWording>> = {
  'request-malformed': unreadable,
  'request-too-slow': unreadable,
  'cursor-not-authentic': unreadable,
  'body-unreadable': unreadable,
  'body-too-large': { status: 413, says: 'unreadable' },
  'headers-too-large': { status: 431, says: 'unreadable' },
  'content-type-unsupported': unreadable,
  'form-stale': { status: 403, says: 'formStale' },
  'parameter-not-text': unreadable,
  'parameter-repeated': unreadable,
  'refresh-by-form': fault,
  'client-id-missing': fault,
  'credential-missing': fault,
  'credential-ambiguous': fault,
  'grant-type-unsupported': fault,
  'not-found': { status: 404, says: 'notFound' },
  'method-not-allowed': { status: 405, says: 'methodWrong' },
  'integration-unknown': gone,
  'integration-disabled': gone,
  'device-flow-disabled': flowOff,
  'certificate-flow-disabled': fault,
  'scope-missing': fault,
  'scope-malformed': fault,
  'scope-exceeds-integration': fault,
  'scope-no-longer-allowed': fault,
  'refresh-token-not-authentic': fault,
  'refresh-token-of-another-integration': fault,
  'grant-unknown': fault,
  'grant-revoked': fault,
  'grant-expired': fault,
  'refresh-not-offered': fault,
  'refresh-token-reused': fault,
  'store-rolled-back': fault,
  'certificate-binding-unmet': fault,
  'device-code-not-authentic': fault,
  'device-code-of-another-integration': fault,
  'device-code-expired': { status: 410, says: 'codeExpired' },
  'device-code-redeemed': { status: 409, says: 'decided' },
  'device-code-spent': spent,
  'authorization-pending': fault,
  'polled-too-fast': fault,
  'device-denied': { status: 409, says: 'decided' },
  'user-code-unknown': { status: 404, says: 'codeUnknown' },
  'user-code-attempts-exhausted': { status: 429, says: 'codesTooMany' },
  'decision-final': { status: 409, says: 'decided' },
  'decision-elsewhere': { status: 403, says: 'elsewhere' },
  'identity-unknown': { status: 403, says: 'identityDisabled' },
  'identity-disabled': { status: 403, says: 'identityDisabled' },
  'identity-without-api-access': { status: 403, says: 'noApiAccess' },
  'identity-without-integration-access': { status: 403, says: 'noIntegrationAccess' },
  'sign-in-failed': { status: 403, says: 'signInFailed' },
  'sign-in-attempts-exhausted': { status: 429, says: 'signInsTooMany' },
  'certificate-missing': fault,
  'certificate-unreadable': fault,
  'certificate-repeated': fault,
  'certificate-issuer-not-approved': fault,
  'certificate-not-yet-valid': fault,
  'certificate-expired': fault,
  'certificate-revoked': fault,
  'certificate-revocation-unknown': fault,
  'certificate-refused-by-policy': fault,
  'certificate-name-missing': fault,
  'certificate-name-ambiguous': fault,
  'certificate-name-malformed': fault,
  'certificate-identity-unknown': fault,
  'certificate-identity-ambiguous': fault,
  'issuer-not-for-integration': fault,
  'access-token-missing': fault,
  'access-token-in-query': fault,
  'access-token-not-authentic': fault,
  'access-token-expired': fault,
  'access-token-superseded': fault,
  'rate-limited': { status: 429, says: 'requestsTooMany' },
  'store-unavailable': unavailable,
  'key-missing': unavailable,
  'outcome-unknown': { status: 503, says: 'outcomeUnknown' },
  'revocation-unavailable': unavailable,
  overloaded: unavailable,
  'shutting-down': unavailable,
  fault,
};
