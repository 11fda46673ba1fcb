// Refusals. Each is declared once, in refusals/: what it says, what to do, and its class, which is its status and code at each door.
// What is declared is the closed list: no rule and no door can refuse for another reason.
import type { IdentityId } from './identity.ts';
import { ASSERTION_IDENTITY, ASSERTION_USE, ASSERTION_VERDICT } from './refusals/assertions.ts';
import { CERTIFICATE, CERTIFICATE_NAME, CERTIFICATE_USE, CERTIFICATE_VERDICT } from './refusals/certificates.ts';
import type { Declaration, Remedy } from './refusals/declaration.ts';
import * as grants from './refusals/grants.ts';
import { OF_PAGES, TO_PEOPLE } from './refusals/people.ts';
import { LIMIT, OF_SERVER } from './refusals/server.ts';
import * as standard from './refusals/standard.ts';
import type { Seconds } from './time.ts';

/** What only /oauth2 refuses; /authsvc refuses grants that need it. */
const STANDARD = {
  ...standard.RESOURCE,
  ...standard.CODE,
  ...ASSERTION_VERDICT,
  ...ASSERTION_IDENTITY,
  ...ASSERTION_USE,
  ...standard.RESOURCE_SERVER,
  ...standard.CLIENT,
};

const OF_OPERATIONS = {
  ...grants.ASKED,
  ...grants.INTEGRATION,
  ...grants.SCOPE,
  ...grants.GRANT,
  ...grants.DEVICE_CODE,
  ...grants.WAITING,
  ...grants.IDENTITY,
  ...CERTIFICATE,
  ...CERTIFICATE_VERDICT,
  ...CERTIFICATE_NAME,
  ...CERTIFICATE_USE,
  ...grants.ACCESS_TOKEN,
  ...LIMIT,
  ...grants.CAP,
  ...STANDARD,
};

/** By rules and operations, for callers. */
export type RefusalReason = keyof typeof OF_OPERATIONS;
export type ScopeReason = keyof typeof grants.SCOPE | 'scope-exceeds-grant';
export type TransportReason = keyof typeof OF_SERVER;
/** For callers at a token door. */
export type TokenReason = RefusalReason | TransportReason;
export type AuthsvcReason = TokenReason | keyof typeof grants.OF_AUTHSVC;
export type OauthReason = TokenReason | keyof typeof standard.OF_OAUTH;
export type CallerReason = AuthsvcReason | OauthReason;

/** Those that have a page. */
type Shown<D> = { [R in keyof D]: D[R] extends { readonly page: number } ? R : never }[keyof D];
/** For callers and for people. */
export type SharedReason = Shown<typeof OF_OPERATIONS>;
export type PersonReason = keyof typeof TO_PEOPLE | SharedReason;
export type PageReason = keyof typeof OF_PAGES | PersonReason | TransportReason;
/** Pages have a text for each; of other refusals, for all together. */
export type WordedReason = keyof typeof OF_PAGES | PersonReason | Shown<typeof OF_SERVER>;

export const OAUTH_ALONE = { ...STANDARD, ...standard.OF_OAUTH };
const OF_DOORS = { ...OF_SERVER, ...OF_OPERATIONS, ...grants.OF_AUTHSVC, ...standard.OF_OAUTH };
export const TO_CALLERS: Readonly<Record<CallerReason, Declaration>> = OF_DOORS;
export const DECLARED: Readonly<
  Record<CallerReason | PageReason, Declaration | Remedy> & Record<WordedReason, { readonly page: number }>
> = { ...OF_DOORS, ...TO_PEOPLE, ...OF_PAGES };

export function isReason(text: string): text is keyof typeof DECLARED {
  return Object.hasOwn(DECLARED, text);
}

export function isToCallers(text: string): text is CallerReason {
  return Object.hasOwn(TO_CALLERS, text);
}

/** Whether pages have a text for it. */
export function isWorded(reason: PageReason): reason is WordedReason {
  return DECLARED[reason].page !== undefined;
}

/** What identified callers cause in the store, with a cap for each identity. `reports`: of a spent token that is only reported. */
export type CappedUse = 'grants' | 'refreshes' | 'reports';

/** Charges an identity, once however often a rule calls it; a refresh, its grant first. The refusal if one is over its cap. */
export type OverCap = (use: CappedUse, identityId: IdentityId, grantId?: string) => Refusal | undefined;

export interface Refusal<R extends string = RefusalReason> {
  readonly reason: R;
  readonly retryAfter?: Seconds;
  /** The rule for certificates or assertions that failed, for the log and the dry runs. */
  readonly rule?: string;
  /** Whose request it was, if that is known: for the log and the console. */
  readonly identityId?: string;
  readonly claimed?: ClaimedCaller | undefined;
}

/** What a refused caller said of itself, or asked for, for operators. Anybody can send that: its texts are escaped and short. */
export interface ClaimedCaller {
  /** Of a certificate; the serial number in hex. */
  readonly subject?: string;
  readonly issuer?: string;
  readonly serial?: string | undefined;
  /** The issuer or token issuer as registered here, even if it was removed. It signed the certificate; an assertion only names it. */
  readonly label?: string | undefined;
  /** Of a refusal for scope: the scope that was asked for, or that the grant has. */
  readonly scope?: string;
  /** The document of a client that was refused, why, and the setting that would allow it. */
  readonly document?: string;
  readonly why?: string;
  readonly allow?: string;
  /** The request that sent it. */
  readonly requestId?: string;
}
