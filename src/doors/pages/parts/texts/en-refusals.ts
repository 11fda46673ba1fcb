// What pages say about refusals: what happened, which is the heading, and what to do now.
import type { WordedReason } from '../../../../core/refusal.ts';

/** Several share what pages say of them. */
export type RefusalText = WordedReason | 'unreadable' | 'unavailable' | 'requestWrong';

const GONE =
  'This program is not registered here. It may have been removed or switched off. Nothing was confirmed. Ask the people who run this service.';
const DISABLED = 'Your account is disabled. Ask the people who run this service.';
export const enRefusals: Readonly<Record<RefusalText, string>> = {
  'user-code-unknown':
    'This code is not known. Check it letter by letter. It may also be too old: then start again on your device.',
  'user-code-attempts-exhausted':
    'Too many wrong codes. For your protection no code is accepted from you for a few minutes. Then start again on your device.',
  'device-code-expired': 'This code has expired. Nothing was confirmed. Start again on your device to get a new code.',
  'device-code-spent':
    'This code no longer works: sign-in failed too often with it. Start again on your device to get a new code.',
  'code-ended': 'This code was ended, by you or by an operator. Start again on your device to get a new code.',
  'decision-final':
    'This request was decided before. A decision is final. If you want to decide otherwise, start again on your device.',
  'decision-elsewhere':
    'This code was entered in another browser. Only the browser session that entered a code can confirm or deny it. Go on there, or start again on your device.',
  'identity-unknown': DISABLED,
  'identity-disabled': DISABLED,
  'identity-without-api-access': 'You may not use the web API. Ask the people who run this service for access.',
  'identity-without-integration-access':
    'You may not use this integration. Ask the people who run this service for access.',
  'device-flow-disabled':
    'Confirming devices is switched off. Ask the people who run this service how the program can get access.',
  'code-flow-disabled': 'This program may not ask for access in this way. Ask the people who run this service.',
  'redirect-uri-unknown':
    'This request is not safe to answer. It names an address for the answer that is not registered for this program. Nothing was sent there. If a link brought you here, somebody may have tried to trick you: tell the people who run this service.',
  'request-too-old': 'This request is too old. Nothing was confirmed. Start again in the program.',
  'client-document-refused':
    'This program cannot be identified. The document that describes it is missing, wrong or not allowed here. Nothing was confirmed. Show this to the people who run this service.',
  'client-document-unavailable':
    'This program cannot be identified right now. The document that describes it could not be read. Nothing was confirmed. Try again in a moment.',
  'integration-unknown': GONE,
  'integration-disabled': GONE,
  requestWrong: 'The program made a mistake. Nothing was confirmed. Tell the people who make the program:',
  'sign-in-failed': 'Sign-in failed. User name or password is wrong.',
  'sign-in-too-soon':
    'Wait a moment before you try again. Sign-in with this name failed several times. Wait half a minute, then try again.',
  'sign-in-attempts-exhausted':
    'Too many failed sign-ins. For your protection this browser cannot sign in for a few minutes, even with the right password. A browser that you signed in with before still can.',
  'provider-sign-in-refused':
    'You were not signed in. Sign-in at your company’s page was cancelled, took too long, was begun in another browser, or its answer could not be accepted. Nothing was changed. Try again; if that does not help, ask the people who run this service.',
  'passkey-refused':
    'The passkey was not accepted. It may have been removed, or this took too long. Try again. Your password still works.',
  'invitation-refused':
    'The invitation was not accepted. It is missing or mistyped, was used before, or has ended. Sign in with a passkey, or ask an operator for another invitation.',
  'passkeys-exhausted': 'You have too many passkeys. Remove one first.',
  'console-closed':
    'The console is not open to you. Members of the groups operators and viewers, and owners of integrations, may enter. An operator can add you to one of them.',
  'console-viewing':
    'You may look, but change nothing. To change something, sign in with a passkey that was added by invitation, as a member of the group operators or an owner of the integration.',
  'form-stale':
    'This page is out of date. You signed in or out since it was opened, or the form was not sent by this site. Nothing was done. Please begin again.',
  'not-found': 'There is nothing here. The address may be mistyped, or the page is gone.',
  'method-not-allowed': 'This cannot be done here. Please begin again.',
  unreadable: 'The form could not be read. Nothing was done. Please begin again.',
  'rate-limited': 'Too many requests. Nothing was done. Wait a moment, then try again.',
  unavailable: 'The service is not available right now. Nothing was changed. Try again in a moment.',
  'directory-unavailable':
    'Your company’s directory cannot be reached right now. Nobody from it can sign in until it answers again. Nothing was changed. Try again in a few minutes.',
  'outcome-unknown':
    'It is not known whether this worked. The service had a fault while it was saving. Go back in a moment and check before you try again.',
  fault:
    'Something broke. It is our fault, not yours. Try again; if it stays so, tell the people who run this service.',
};
