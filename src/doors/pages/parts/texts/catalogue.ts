// Every text a person reads in the browser. A catalogue that lacks one does not compile.
import type { EventType } from '../../../../core/event.ts';
import type { RevocationReason } from '../../../../core/grant.ts';

/** A refusal as a page: what happened, and what to do now. */
export interface Said {
  readonly title: string;
  readonly text: string;
}

export const REFUSAL_TEXTS = [
  'codeUnknown',
  'codesTooMany',
  'codeExpired',
  'codeSpent',
  'decided',
  'elsewhere',
  'identityDisabled',
  'noApiAccess',
  'noIntegrationAccess',
  'deviceFlowOff',
  'integrationGone',
  'signInFailed',
  'signInTooSoon',
  'signInsTooMany',
  'formStale',
  'notFound',
  'methodWrong',
  'unreadable',
  'requestsTooMany',
  'unavailable',
  'outcomeUnknown',
  'fault',
] as const;
export type RefusalText = (typeof REFUSAL_TEXTS)[number];

export const NOTICES = ['revoked', 'revoked-before', 'revoked-all', 'password-changed', 'signed-out'] as const;
/** What a page says about the step before it. */
export type Notice = (typeof NOTICES)[number];

export interface Texts {
  readonly layout: {
    readonly skip: string;
    readonly signedInAs: (name: string) => string;
    readonly account: string;
    readonly signOut: string;
    readonly footer: (name: string) => string;
  };
  readonly home: {
    readonly title: string;
    readonly lead: string;
    readonly device: Said;
    readonly account: Said;
    readonly docs: Said;
  };
  readonly code: {
    readonly title: string;
    readonly lead: string;
    readonly label: string;
    readonly hint: string;
    readonly malformed: string;
    readonly next: string;
    readonly checkTitle: string;
    readonly check: string;
    readonly warningTitle: string;
    readonly warning: string;
  };
  readonly signIn: {
    readonly title: string;
    readonly forDevice: (code: string) => string;
    readonly forAccount: string;
    readonly userName: string;
    readonly password: string;
    readonly button: string;
  };
  readonly request: {
    readonly title: (integration: string) => string;
    readonly by: (vendor: string) => string;
    readonly asks: string;
    readonly farReaching: string;
    readonly more: string;
    readonly program: string;
    readonly programUnknown: string;
    readonly asked: string;
    readonly time: string;
    readonly left: string;
    readonly leftFor: (length: string) => string;
    readonly actsAs: string;
    readonly question: string;
    /** `person`: who is signed in, so that it is in view beside the buttons. */
    readonly questionHint: (person: string) => string;
    readonly confirm: string;
    readonly deny: string;
    readonly onlyDeny: string;
  };
  readonly last: {
    readonly confirmed: Said;
    readonly redeemed: Said;
    readonly denied: Said;
    readonly expired: Said;
    readonly spent: Said;
    readonly about: (integration: string) => string;
    readonly toAccount: string;
    readonly another: string;
  };
  readonly qr: {
    readonly title: string;
    readonly lead: string;
    readonly picture: string;
    readonly or: string;
  };
  readonly account: {
    readonly title: string;
    readonly lead: string;
    readonly grants: string;
    readonly grantCount: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
    /** There are too many to count. */
    readonly newestGrants: string;
    readonly noGrants: string;
    readonly noGrantsHint: string;
    readonly permissions: string;
    readonly details: string;
    readonly obtained: string;
    readonly origins: { readonly device: string; readonly certificate: string; readonly assertion: string };
    readonly refreshed: string;
    readonly neverRefreshed: string;
    readonly ends: string;
    readonly lastAddress: string;
    readonly grantId: string;
    readonly revoke: string;
    readonly grantOf: (integration: string, obtained: string) => string;
    readonly revokeWarning: string;
    readonly revokeReally: string;
    readonly revokeAll: string;
    readonly revokeAllWarning: string;
    readonly revokeAllReally: string;
    readonly newer: string;
    readonly older: string;
    readonly pages: string;
    readonly events: string;
    readonly noEvents: string;
    readonly olderEvents: string;
    readonly eventWords: Readonly<Record<EventType, string>>;
    readonly revocationWords: Readonly<Record<RevocationReason, string>>;
    readonly from: (address: string) => string;
    readonly security: string;
    readonly changePassword: string;
    readonly signOutEverywhere: string;
    readonly signOutEverywhereHint: string;
  };
  readonly password: {
    readonly title: string;
    readonly lead: string;
    readonly current: string;
    readonly next: string;
    readonly nextHint: (characters: number) => string;
    readonly repeat: string;
    readonly button: string;
    readonly back: string;
    readonly objections: {
      readonly 'current-wrong': string;
      readonly 'too-many-tries': string;
      readonly 'too-short': string;
      readonly 'too-long': string;
      readonly unchanged: string;
      readonly 'not-repeated': string;
    };
  };
  readonly notices: Readonly<Record<Notice, string>>;
  readonly refusalTexts: Readonly<Record<RefusalText, Said>>;
  readonly refusal: {
    readonly toDevice: string;
    readonly toAccount: string;
    readonly requestId: (id: string) => string;
  };
  /** A permission in plain words; `resource` alone where the scope names no permission. */
  readonly permission: (resource: string, permission: string | undefined) => string;
}
