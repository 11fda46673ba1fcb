// Every refusal that a page can show, and how it is worded: the status, and which text.
import type { PersonReason, Refusal } from '../../../core/refusal.ts';
import {
  REQUEST_REASONS,
  type TransportReason,
  UNAVAILABLE_REASONS,
  wordedAlike,
} from '../../http/transport-refusal.ts';
import type { RefusalText } from './texts/en-refusals.ts';

/** Refusals of pages alone. */
export const PAGE_REASONS = ['form-stale', 'console-closed', 'console-viewing'] as const;

export type PageReason = (typeof PAGE_REASONS)[number] | PersonReason | TransportReason;
export type PageRefusal = Refusal<PageReason>;

export interface PageWording {
  readonly status: number;
  readonly says: RefusalText;
}

const unreadable: PageWording = { status: 400, says: 'unreadable' };
const unavailable: PageWording = { status: 503, says: 'unavailable' };
const gone: PageWording = { status: 404, says: 'integrationGone' };

export const PAGE_WORDING: Readonly<Record<PageReason, PageWording>> = {
  ...wordedAlike(REQUEST_REASONS, unreadable),
  'body-too-large': { status: 413, says: 'unreadable' },
  'headers-too-large': { status: 431, says: 'unreadable' },
  'form-stale': { status: 403, says: 'formStale' },
  'console-closed': { status: 403, says: 'consoleClosed' },
  'console-viewing': { status: 403, says: 'consoleViewing' },
  'not-found': { status: 404, says: 'notFound' },
  'method-not-allowed': { status: 405, says: 'methodWrong' },
  'integration-unknown': gone,
  'integration-disabled': gone,
  'device-flow-disabled': { status: 403, says: 'deviceFlowOff' },
  'device-code-expired': { status: 410, says: 'codeExpired' },
  'device-code-spent': { status: 410, says: 'codeSpent' },
  'code-ended': { status: 410, says: 'codeEnded' },
  'user-code-unknown': { status: 404, says: 'codeUnknown' },
  'user-code-attempts-exhausted': { status: 429, says: 'codesTooMany' },
  'code-flow-disabled': { status: 403, says: 'codeFlowOff' },
  'redirect-uri-unknown': { status: 400, says: 'redirectUnknown' },
  'request-too-old': { status: 410, says: 'requestTooOld' },
  'client-document-refused': { status: 400, says: 'documentRefused' },
  'client-document-unavailable': { status: 503, says: 'documentUnavailable' },
  'decision-final': { status: 409, says: 'decided' },
  'decision-elsewhere': { status: 403, says: 'elsewhere' },
  'identity-unknown': { status: 403, says: 'identityDisabled' },
  'identity-disabled': { status: 403, says: 'identityDisabled' },
  'identity-without-api-access': { status: 403, says: 'noApiAccess' },
  'identity-without-integration-access': { status: 403, says: 'noIntegrationAccess' },
  'sign-in-failed': { status: 403, says: 'signInFailed' },
  'sign-in-too-soon': { status: 429, says: 'signInTooSoon' },
  'sign-in-attempts-exhausted': { status: 429, says: 'signInsTooMany' },
  'provider-sign-in-refused': { status: 403, says: 'providerRefused' },
  'passkey-refused': { status: 403, says: 'passkeyRefused' },
  'passkeys-exhausted': { status: 409, says: 'passkeysTooMany' },
  'invitation-refused': { status: 403, says: 'invitationRefused' },
  'rate-limited': { status: 429, says: 'requestsTooMany' },
  ...wordedAlike(UNAVAILABLE_REASONS, unavailable),
  'outcome-unknown': { status: 503, says: 'outcomeUnknown' },
  'directory-unavailable': { status: 503, says: 'directoryAway' },
  fault: { status: 500, says: 'fault' },
};
