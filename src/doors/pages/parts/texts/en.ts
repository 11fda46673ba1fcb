// Every text a person reads in the browser. Other languages have the same ones: a catalogue that lacks one does not compile.
import type { FactsOf } from '../../../../core/act.ts';
import type { EventType } from '../../../../core/event.ts';
import type { RevocationReason } from '../../../../core/grant.ts';
import { enRefusals } from './en-refusals.ts';

const VERBS: ReadonlyMap<string, string> = new Map([
  ['read', 'Read'],
  ['list', 'List'],
  ['discover', 'Discover'],
  ['write', 'Write'],
  ['create', 'Create'],
  ['update', 'Change'],
  ['delete', 'Delete'],
  ['execute', 'Run'],
  ['manage', 'Manage'],
  ['approve', 'Approve'],
  ['admin', 'Administer'],
]);

/** `other` is for every number that has no form of its own. */
type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

export type Texts = typeof en;

export const en = {
  layout: {
    skip: 'Skip to content',
    signedInAs: (name: string) => `Signed in as ${name}`,
    account: 'My account',
    signOut: 'Sign out',
    footer: (name: string) => `${name} never asks for your password by email, chat or phone.`,
  },
  home: {
    title: 'Welcome',
    lead: 'This service gives programs access to web APIs, in the name of a person or a machine.',
    device: 'Connect a device. A device or program shows you a code: enter it here, then confirm or deny the request.',
    account: 'My account. See which programs act in your name, and end their access.',
    docs: 'Documentation. How programs get, refresh, check and revoke tokens, and what every error means.',
  },
  code: {
    title: 'Connect a device',
    lead: 'Enter the code that your device or program shows.',
    label: 'Code',
    hint: 'Eight letters, such as WDJB-MJHT. Capitals and dashes make no difference.',
    malformed: 'A code has eight letters, none of them a vowel. Please check it.',
    next: 'Continue',
    checkTitle: 'Is this the code on your device?',
    check: 'Compare it letter by letter. Continue only if your own device or program shows the same code.',
    warningTitle: 'Did somebody send you this code?',
    warning:
      'Then stop here. A code lets a program act in your name; it is meant for the person who started that program.',
  },
  signIn: {
    title: 'Sign in',
    forDevice: (code: string) => `to see who asks for access with the code ${code}`,
    forProgram: (program: string) => `to see what ${program} asks for`,
    forAccount: 'to see what acts in your name',
    userName: 'User name',
    password: 'Password',
    atProvider: (provider: string) => `Sign in with ${provider}`,
    signOutThere: (provider: string) => `Sign out of ${provider} too`,
    forPasskeys: 'to change your passkeys',
    forConsole: 'to the console',
    passkey: 'Sign in with a passkey',
    passkeyFailed: 'No passkey was used. Try again, or use your password.',
  },
  request: {
    title: (integration: string) => `Let ${integration} act in your name?`,
    by: (vendor: string) => `by ${vendor}`,
    asks: 'Permissions it asks for',
    farReaching: 'far-reaching',
    more: 'More about this request',
    program: 'Program',
    programUnknown: 'not stated',
    asked: 'Asked',
    time: 'Time',
    left: 'Code good for',
    leftFor: (length: string) => `another ${length}`,
    actsAs: 'In the name of',
    client: 'Program from',
    callsItself: 'Calls itself',
    returnsTo: 'Answer goes to',
    thisComputer: 'this computer,',
    anyProgram:
      'Any program on this computer can claim to be this one. Confirm only if you have just started it yourself.',
    anyScheme: (scheme: string) =>
      `Any program on this device can claim addresses that begin with ${scheme} and read the answer. Confirm only if you have just started it yourself.`,
    changed: 'What the program gets has changed meanwhile. Nothing was confirmed. Please check it again.',
    question: 'Did you start this yourself, just now?',
    /** `person`: who is signed in, so that it is in view beside the buttons. */
    questionHint: (person: string) =>
      `If someone sent you the code or a link, choose Deny: otherwise they get access in the name of ${person}.`,
    confirm: 'Confirm',
    deny: 'Deny',
    onlyDeny: 'You cannot confirm this request. Deny it, so that the device or program stops waiting.',
  },
  last: {
    confirmed:
      'Confirmed. Go back to your device: it continues by itself within a few seconds. You can close this page.',
    redeemed: 'Confirmed, and your device has access. The device has collected its access. You can close this page.',
    denied:
      'Denied. The device gets no access. If you did not start this request, someone may have tried to trick you: tell the people who run this service.',
    expired: 'The code has expired. Nothing was confirmed. Start again on your device to get a new code.',
    spent: 'The code no longer works: sign-in failed too often with it. Start again on your device to get a new code.',
    ended: 'The code was ended, by you or by an operator. Start again on your device to get a new code.',
    about: (integration: string) => `The request of ${integration}`,
    toAccount: 'See what acts in your name',
    another: 'Enter another code',
  },
  qr: {
    title: 'Scan to connect',
    lead: 'Point the camera of your phone at the picture, then compare the code.',
    picture: 'QR code that opens the page for this code',
    or: 'Or open this address and type the code:',
  },
  account: {
    lead: 'What acts in your name, and how to end it.',
    grants: 'Grants',
    grantCount: { one: '{count} grant acts in your name.', other: '{count} grants act in your name.' } as PluralForms,
    /** There are too many to count. */
    newestGrants:
      'Very many grants act in your name, or did so lately. This page looks at the newest only; you can end all of them below.',
    noGrants: 'Nothing acts in your name',
    noGrantsHint: 'Programs that you confirm appear here, and you can end their access at any time.',
    permissions: 'Permissions',
    details: 'Details',
    obtained: 'Obtained',
    origins: {
      device: 'Confirmed in a browser',
      code: 'By a program that opened your browser',
      certificate: 'By client certificate',
      assertion: 'By workload assertion',
      client: 'By the integration itself',
      exchange: 'By token exchange',
    },
    refreshed: 'Last refresh',
    neverRefreshed: 'not yet',
    unused: 'Its only token has expired, and nothing has refreshed it. If no program of yours needs it, revoke it.',
    ends: 'Ends',
    lastAddress: 'Last used from',
    secondProgram: (first: string, address: string) =>
      `Used by a second program, first ${first}, from ${address}. If it is not yours, revoke this grant.`,
    otherProgram: 'Another program',
    grantId: 'Id, for questions to the operator',
    revoke: 'Revoke',
    grantOf: (integration: string, obtained: string) => `the grant of ${integration}, obtained ${obtained}`,
    revokeWarning: 'It loses access at once, and this cannot be undone. It can ask again.',
    revokeReally: 'Revoke now',
    revokeAll: 'Revoke all grants',
    revokeAllWarning: 'Everything that acts in your name loses access at once, and this cannot be undone.',
    revokeAllReally: 'Revoke all now',
    signOutAgents: 'Sign out all agents',
    signOutAgentsWarning:
      'Every agent or other program that opened your browser to sign in loses access at once. Devices and machines keep theirs.',
    signOutAgentsReally: 'Sign out all agents now',
    newer: 'Newer',
    older: 'Older',
    pages: 'Pages of grants',
    events: 'Recent events',
    noEvents: 'Nothing has happened yet.',
    olderEvents: 'Older events',
    eventWords: {
      issued: 'Grant obtained',
      refreshed: 'Grant refreshed',
      retried: 'Refresh repeated',
      healed: 'Refreshed, after the server had lost earlier refreshes',
      reused: 'Old refresh token presented',
      revoked: 'Grant revoked',
      confirmed: 'Request confirmed',
      denied: 'Request denied',
      spent: 'Code spent by failed sign-ins',
      administered: 'Changed by an operator',
    } satisfies Record<EventType, string>,
    /** By another program, or from another address. */
    retriedElsewhere: 'Refresh repeated by another program',
    passkeyWords: {
      added: 'Passkey added',
      copied: 'Copied passkey refused',
      invited: 'Invitation to add a passkey',
      removed: 'Passkey removed',
    } satisfies Record<keyof FactsOf['passkey'], string>,
    revocationWords: {
      'by-caller': 'by the program itself',
      'by-holder': 'by you',
      'by-operator': 'by an operator',
      reuse: 'because an old refresh token or code was presented',
      'rolled-back-store': 'because the server was restored from a backup',
      'certificate-revoked': 'because its certificate was revoked',
      restored: 'because the server was restored from a backup',
      'account-ended': 'because the account ended in its directory',
    } satisfies Record<RevocationReason, string>,
    from: (address: string) => `from ${address}`,
    security: 'Sign-in',
    signOutEverywhere: 'Sign out everywhere',
    signOutEverywhereHint: 'Ends your sessions in all browsers, this one too. Grants stay as they are.',
  },
  password: {
    title: 'Change password',
    lead: 'You stay signed in here and are signed out everywhere else. Grants stay as they are.',
    current: 'Current password',
    next: 'New password',
    nextHint: (characters: number) => `At least ${characters} characters. A few words in a row are easy to remember.`,
    repeat: 'New password once more',
    back: 'Back to my account',
    objections: {
      'current-wrong': 'The current password is wrong.',
      'too-many-tries': 'Too many wrong passwords. Wait a few minutes.',
      'too-short': 'The new password is too short.',
      'too-long': 'The new password is too long.',
      unchanged: 'The new password is the current one.',
      'not-repeated': 'The two new passwords differ.',
    },
  },
  passkeys: {
    title: 'Passkeys',
    lead: 'Sign in with your fingerprint, your face, a PIN or a security key. A passkey works on this site only: a fake one gets nothing.',
    added: 'Added',
    used: 'Last used',
    rename: 'Rename',
    name: 'Name',
    nameHint: 'To recognise it later, such as “Phone” or “Blue security key”.',
    passkey: 'Passkey',
    save: 'Save',
    remove: 'Remove',
    removeWarning: 'It no longer signs you in, and you are signed out in all other browsers.',
    removeReally: 'Remove now',
    add: 'Add a passkey',
    failed: 'No passkey was added. Please try again.',
    known: 'This device already has a passkey for your account.',
    invitation: 'Invitation',
    invitationHint:
      'From an operator. Only a passkey that is added with it, or after signing in with such a passkey, is enough to administer this service.',
    onlyWithPasskey:
      'To change your passkeys, sign in with a passkey. To add one without, enter an invitation from an operator.',
    needsScript: 'To add a passkey, use a current browser and allow script.',
    most: (count: number) => `You have ${count} passkeys, which is the most. Remove one first.`,
  },
  /** What a page says about the step before it. */
  notices: {
    revoked: 'The grant was revoked.',
    'revoked-before': 'That grant had ended before.',
    'revoked-all': 'All grants were revoked.',
    'agents-signed-out': 'All agents were signed out.',
    'password-changed': 'Your password was changed, and you were signed out everywhere else.',
    'signed-out': 'You are signed out.',
    'passkey-added': 'The passkey was added.',
    'passkey-renamed': 'The passkey was renamed.',
    'passkey-removed': 'The passkey was removed, and you were signed out everywhere else.',
  },
  refusalTexts: enRefusals,
  refusal: {
    toDevice: 'Enter a code',
    requestId: (id: string) => `Request ${id}`,
  },
  /** A permission in plain words; `resource` alone where the scope names no permission. */
  permission: (resource: string, permission: string | undefined) => {
    if (permission === undefined) return `Basic access to “${resource}”`;
    const verb = VERBS.get(permission);
    return verb ? `${verb} “${resource}”` : `Use “${permission}” of “${resource}”`;
  },
};
