// What pages say about refusals: what happened, which is the heading, and what to do now.

export type RefusalText = keyof typeof enRefusals;

export const enRefusals = {
  codeUnknown:
    'This code is not known. Check it letter by letter. It may also be too old: then start again on your device.',
  codesTooMany:
    'Too many wrong codes. For your protection no code is accepted from you for a few minutes. Then start again on your device.',
  codeExpired: 'This code has expired. Nothing was confirmed. Start again on your device to get a new code.',
  codeSpent:
    'This code no longer works: sign-in failed too often with it. Start again on your device to get a new code.',
  codeEnded: 'This code was ended, by you or by an operator. Start again on your device to get a new code.',
  decided:
    'This request was decided before. A decision is final. If you want to decide otherwise, start again on your device.',
  elsewhere:
    'This code was entered in another browser. Only the browser session that entered a code can confirm or deny it. Go on there, or start again on your device.',
  identityDisabled: 'Your account is disabled. Ask the people who run this service.',
  noApiAccess: 'You may not use the web API. Ask the people who run this service for access.',
  noIntegrationAccess: 'You may not use this integration. Ask the people who run this service for access.',
  deviceFlowOff:
    'Confirming devices is switched off. Ask the people who run this service how the program can get access.',
  codeFlowOff: 'This program may not ask for access in this way. Ask the people who run this service.',
  redirectUnknown:
    'This request is not safe to answer. It names an address for the answer that is not registered for this program. Nothing was sent there. If a link brought you here, somebody may have tried to trick you: tell the people who run this service.',
  requestTooOld: 'This request is too old. Nothing was confirmed. Start again in the program.',
  documentRefused:
    'This program cannot be identified. The document that describes it is missing or wrong. Nothing was confirmed. Ask the people who make the program.',
  documentUnavailable:
    'This program cannot be identified right now. The document that describes it could not be read. Nothing was confirmed. Try again in a moment.',
  integrationGone:
    'This program is not registered here. It may have been removed or switched off. Nothing was confirmed. Ask the people who run this service.',
  requestWrong: 'The program made a mistake. Nothing was confirmed. Tell the people who make the program:',
  signInFailed: 'Sign-in failed. User name or password is wrong.',
  signInTooSoon:
    'Wait a moment before you try again. Sign-in with this name failed several times. Wait half a minute, then try again.',
  signInsTooMany:
    'Too many failed sign-ins. For your protection this browser cannot sign in for a few minutes, even with the right password. A browser that you signed in with before still can.',
  providerRefused:
    'You were not signed in. Sign-in at your company’s page was cancelled, took too long, was begun in another browser, or its answer could not be accepted. Nothing was changed. Try again; if that does not help, ask the people who run this service.',
  passkeyRefused:
    'The passkey was not accepted. It may have been removed, or this took too long. Try again. Your password still works.',
  invitationRefused:
    'The invitation was not accepted. It is missing or mistyped, was used before, or has ended. Sign in with a passkey, or ask an operator for another invitation.',
  passkeysTooMany: 'You have too many passkeys. Remove one first.',
  consoleClosed:
    'The console is not open to you. Members of the groups operators and viewers, and owners of integrations, may enter. An operator can add you to one of them.',
  consoleViewing:
    'You may look, but change nothing. To change something, sign in with a passkey that was added by invitation, as a member of the group operators or an owner of the integration.',
  formStale:
    'This page is out of date. You signed in or out since it was opened, or the form was not sent by this site. Nothing was done. Please begin again.',
  notFound: 'There is nothing here. The address may be mistyped, or the page is gone.',
  methodWrong: 'This cannot be done here. Please begin again.',
  unreadable: 'The form could not be read. Nothing was done. Please begin again.',
  requestsTooMany: 'Too many requests. Nothing was done. Wait a moment, then try again.',
  unavailable: 'The service is not available right now. Nothing was changed. Try again in a moment.',
  directoryAway:
    'Your company’s directory cannot be reached right now. Nobody from it can sign in until it answers again. Nothing was changed. Try again in a few minutes.',
  outcomeUnknown:
    'It is not known whether this worked. The service had a fault while it was saving. Go back in a moment and check before you try again.',
  fault:
    'Something broke. It is our fault, not yours. Try again; if it stays so, tell the people who run this service.',
};
