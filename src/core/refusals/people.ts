// For people only.
import type { Declared, Remedy } from './declaration.ts';

export const TO_PEOPLE = {
  'user-code-unknown': { caller: 'Check the code on the device.', page: 404 },
  'user-code-attempts-exhausted': { caller: 'Wait until pending codes have expired.', page: 429 },
  'decision-final': { caller: 'Start a new authorization.', page: 409 },
  'decision-elsewhere': { caller: 'Decide in the browser that entered this code, or start anew.', page: 403 },
  'request-too-old': { caller: 'Start a new authorization.', page: 410 },
  'client-document-refused': { operator: 'the log says why the [document](agents.md) cannot be used.', page: 400 },
  'client-document-unavailable': { operator: 'the log says why the [document](agents.md) cannot be used.', page: 503 },
  'sign-in-failed': { caller: 'Try again: name or password is wrong, or the identity disabled.', page: 403 },
  'sign-in-too-soon': { caller: 'Wait as long as the page says.', page: 429 },
  'sign-in-attempts-exhausted': { caller: 'Wait as long as the page says.', page: 429 },
  'provider-sign-in-refused': {
    caller: 'Sign in again.',
    operator: 'see `rule` in the log; `tessera directory check LABEL`.',
    page: 403,
  },
  'passkey-refused': {
    caller: 'Try again, or use the password.',
    operator: 'see `rule` in the log; with `origin`, open the pages at `publicUrl`.',
    page: 403,
  },
  'passkeys-exhausted': { caller: 'Remove one: the account has 20 passkeys.', page: 409 },
  'invitation-refused': {
    caller: 'Get an invitation: `tessera identity passkey invite`. It works once, within a day.',
    page: 403,
  },
} satisfies Declared<Remedy & { readonly page: number }>;

/** Of the pages alone: no operation refuses so. */
export const OF_PAGES = {
  'form-stale': { caller: 'Open the page again.', page: 403 },
  'console-closed': {
    caller: 'Sign in with a passkey as an operator (`tessera identity change NAME --group operators`).',
    page: 403,
  },
  'console-viewing': {
    caller: 'Sign in with a passkey as an operator (`tessera identity change NAME --group operators`).',
    page: 403,
  },
} satisfies Declared<Remedy & { readonly page: number }>;
