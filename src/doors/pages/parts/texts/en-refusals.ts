// What pages say about refusals.

/** What happened, and what to do now. */
export interface Said {
  readonly title: string;
  readonly text: string;
}

export type RefusalText = keyof typeof enRefusals;

export const enRefusals = {
  codeUnknown: {
    title: 'This code is not known',
    text: 'Check it letter by letter. It may also be too old: then start again on your device.',
  },
  codesTooMany: {
    title: 'Too many wrong codes',
    text: 'For your protection no code is accepted from you for a few minutes. Then start again on your device.',
  },
  codeExpired: {
    title: 'This code has expired',
    text: 'Nothing was confirmed. Start again on your device to get a new code.',
  },
  codeSpent: {
    title: 'This code no longer works',
    text: 'Sign-in failed too often with it, or the operator ended it. Start again on your device to get a new code.',
  },
  decided: {
    title: 'This request was decided before',
    text: 'A decision is final. If you want to decide otherwise, start again on your device.',
  },
  elsewhere: {
    title: 'This code was entered in another browser',
    text: 'Only the browser session that entered a code can confirm or deny it. Go on there, or start again on your device.',
  },
  identityDisabled: {
    title: 'Your account is disabled',
    text: 'Ask the people who run this service.',
  },
  noApiAccess: {
    title: 'You may not use the web API',
    text: 'Ask the people who run this service for access.',
  },
  noIntegrationAccess: {
    title: 'You may not use this integration',
    text: 'Ask the people who run this service for access.',
  },
  deviceFlowOff: {
    title: 'Confirming devices is switched off',
    text: 'Ask the people who run this service how the program can get access.',
  },
  codeFlowOff: {
    title: 'This program may not ask for access in this way',
    text: 'Ask the people who run this service.',
  },
  redirectUnknown: {
    title: 'This request is not safe to answer',
    text: 'It names an address for the answer that is not registered for this program. Nothing was sent there. If a link brought you here, somebody may have tried to trick you: tell the people who run this service.',
  },
  requestTooOld: {
    title: 'This request is too old',
    text: 'Nothing was confirmed. Start again in the program.',
  },
  documentRefused: {
    title: 'This program cannot be identified',
    text: 'The document that describes it is missing or wrong. Nothing was confirmed. Ask the people who make the program.',
  },
  documentUnavailable: {
    title: 'This program cannot be identified right now',
    text: 'The document that describes it could not be read. Nothing was confirmed. Try again in a moment.',
  },
  integrationGone: {
    title: 'This program is not registered here',
    text: 'It may have been removed or switched off. Nothing was confirmed. Ask the people who run this service.',
  },
  requestWrong: {
    title: 'The program made a mistake',
    text: 'Nothing was confirmed. Tell the people who make the program:',
  },
  signInFailed: {
    title: 'Sign-in failed',
    text: 'User name or password is wrong.',
  },
  signInTooSoon: {
    title: 'Wait a moment before you try again',
    text: 'Sign-in with this name failed several times. Wait half a minute, then try again.',
  },
  signInsTooMany: {
    title: 'Too many failed sign-ins',
    text: 'For your protection this browser cannot sign in for a few minutes, even with the right password. A browser that you signed in with before still can.',
  },
  providerRefused: {
    title: 'You were not signed in',
    text: 'Sign-in at your company’s page was cancelled, took too long, was begun in another browser, or its answer could not be accepted. Nothing was changed. Try again; if that does not help, ask the people who run this service.',
  },
  passkeyRefused: {
    title: 'The passkey was not accepted',
    text: 'It may have been removed, or this took too long. Try again. Your password still works.',
  },
  invitationRefused: {
    title: 'The invitation was not accepted',
    text: 'It is missing or mistyped, was used before, or has ended. Sign in with a passkey, or ask an operator for another invitation.',
  },
  passkeysTooMany: { title: 'You have too many passkeys', text: 'Remove one first.' },
  consoleClosed: {
    title: 'The console is not open to you',
    text: 'Members of the groups operators and viewers, and owners of integrations, may enter. An operator can add you to one of them.',
  },
  consoleViewing: {
    title: 'You may look, but change nothing',
    text: 'To change something, sign in with a passkey that was added by invitation, as a member of the group operators or an owner of the integration.',
  },
  formStale: {
    title: 'This page is out of date',
    text: 'You signed in or out since it was opened, or the form was not sent by this site. Nothing was done. Please begin again.',
  },
  notFound: { title: 'There is nothing here', text: 'The address may be mistyped, or the page is gone.' },
  methodWrong: { title: 'This cannot be done here', text: 'Please begin again.' },
  unreadable: { title: 'The form could not be read', text: 'Nothing was done. Please begin again.' },
  requestsTooMany: { title: 'Too many requests', text: 'Nothing was done. Wait a moment, then try again.' },
  unavailable: {
    title: 'The service is not available right now',
    text: 'Nothing was changed. Try again in a moment.',
  },
  directoryAway: {
    title: 'Your company’s directory cannot be reached right now',
    text: 'Nobody from it can sign in until it answers again. Nothing was changed. Try again in a few minutes.',
  },
  outcomeUnknown: {
    title: 'It is not known whether this worked',
    text: 'The service had a fault while it was saving. Go back in a moment and check before you try again.',
  },
  fault: {
    title: 'Something broke',
    text: 'It is our fault, not yours. Try again; if it stays so, tell the people who run this service.',
  },
} satisfies Readonly<Record<string, Said>>;
