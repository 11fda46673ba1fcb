// What goes into each act of the table (act-table.ts), and what comes out.
import { KEY_ADDRESS } from '../../assertions/fetch-keys.ts';
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import { IDENTITY_ID, LABEL } from '../../core/identity.ts';
import type { ClaimedCaller } from '../../core/refusal.ts';
import { RESOURCE_SERVER_ID } from '../../core/resource-server.ts';
import {
  boolean,
  described,
  integer,
  list,
  named,
  type ObjectSchema,
  object,
  optional,
  type Schema,
  string,
} from '../../schema.ts';
import { type LoggedEvent, MOST_ROWS } from '../../store/store.ts';
import type { AssertionExplanation, CallerExplanation, ScopeExplanation, TokenExplanation } from './explain.ts';
import type { ShownGrant } from './find-grants.ts';
import { ago, GRANT_FILTER, SELECTED_GRANTS } from './grant-filter.ts';
import { IssuerObject, TokenIssuerObject } from './issuer-objects.ts';
import { AUTHORITIES, CLOSED, form, having, lifetime, ranges } from './members.ts';
import {
  IdentityObject,
  IntegrationObject,
  OBJECTS,
  type ObjectChange,
  type Objects,
  PasswordText,
  ResourceServerObject,
} from './objects.ts';
import { LONGEST_SECRET } from './secrets.ts';
import { MOMENT, NEW_CLIENT_ID, USER_NAME } from './text-forms.ts';

export interface Formats<T = unknown> {
  /** The name in its path, if only some texts can be one. */
  readonly id?: Schema;
  readonly query?: ObjectSchema<Record<string, Schema>>;
  readonly body?: Schema;
  readonly answers: Schema<T>;
}

/** One page of a list. `next`: where the following one begins. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

const Ended = named('Ended', {
  id: optional(string()),
  endedGrants: optional(integer({ description: 'How many grants ended.' })),
  endedCodes: optional(integer({ description: 'How many codes that nobody had redeemed ended.' })),
});

/** A query has no more digits. */
const NUMBER = { minimum: 0, maximum: 999_999_999_999_999 };

const PAGED = {
  limit: optional(integer({ minimum: 1, maximum: 1000, description: 'At most this many. Default: 100.' })),
  cursor: optional(string({ description: 'The next of the page before.' })),
};
const ALL = { all: optional(boolean({ description: 'Include ended ones.' })) };
const EVERY = { all: optional(boolean({ description: 'All of them, the newest too.' })) };
const CONFIRMED = { confirmed: optional(boolean({ description: 'Without it, nothing is done.' })) };

/** Of documents: some members, of a value that has more. */
function someOf<T>(title: string, properties: Record<string, Schema>): Schema<T> {
  return described({ ...named(title, properties) });
}

const ids = { id: string(), state: string(), clientId: string(), identityId: string() };
const Grant = someOf<ShownGrant>('Grant', ids);
const Event = someOf<LoggedEvent>('Event', { sequence: integer(), at: integer(), type: string() });
const Claimed = someOf<ClaimedCaller>('ClaimedCaller', {
  subject: optional(string({ description: 'Of the last certificate, as it says.' })),
  issuer: optional(string()),
  serial: optional(string({ description: 'In hex.' })),
  label: optional(string({ description: 'The issuer here that signed it, even if it was removed.' })),
  scope: optional(string({ description: 'Of a refusal for scope: what was asked for, or what the grant has.' })),
  requestId: optional(string({ description: 'The request that sent it.' })),
});
const Refusal = named('RefusalCount', {
  clientId: string({ description: 'Empty: of no known integration.' }),
  identityId: string({ description: 'Empty: of no known identity.' }),
  reason: string(),
  count: integer(),
  first: string(),
  last: string(),
  lastRequestId: string(),
  claimed: optional(Claimed),
});

const Document = described<Objects>({
  ...OBJECTS,
  title: 'Objects',
  description: 'By section, then by name: docs/administration.md.',
});
const PRUNE = optional(boolean({ description: 'Remove what the sections do not have.' }));
const DIGEST = optional(string({ description: 'Of a plan: apply it only if it would still do exactly that.' }));
const Planned = object({ objects: Document, prune: PRUNE }, { ...CLOSED, title: 'ObjectsToPlan' });
const Applied = object({ objects: Document, prune: PRUNE, digest: DIGEST }, { ...CLOSED, title: 'ObjectsToApply' });
const Change = someOf<ObjectChange>('ObjectChange', {
  ...{ section: string(), id: string(), does: string() },
  fields: described({ type: 'object' }),
});

function listOf<T>(items: Schema<T>, title: string): Schema<Listed<T>> {
  const next = optional(string({ description: 'The cursor of the next page, if there is one.' }));
  return named(title, { items: list(items), next });
}

/** What all registered things have. */
function formatsOf<K extends string, T>(
  kind: K,
  schema: Schema<T>,
  title: string,
  id: Schema,
  filter: typeof ALL | object = {},
) {
  const formats = {
    [`${kind}-list`]: { query: object({ ...filter, ...PAGED }), answers: listOf(schema, `${title}List`) },
    [`${kind}-show`]: { answers: schema },
    [`${kind}-put`]: { id, body: schema, answers: schema },
    [`${kind}-remove`]: { query: object(CONFIRMED), answers: Ended },
  };
  return formats as Readonly<
    Record<`${K}-list`, Formats<Listed<T>>> &
      Record<`${K}-show`, Formats<T>> &
      Record<`${K}-put`, { readonly body: Schema<T>; readonly answers: Schema<T> }> &
      Record<`${K}-remove`, { readonly query: ObjectSchema<typeof CONFIRMED>; readonly answers: typeof Ended }>
  >;
}

const LABEL_TEXT = form(LABEL, 'label-malformed');
const Secret = named('Secret', { secret: string(), endsAt: optional(string()) });
const Password = object({ password: PasswordText }, { ...CLOSED, title: 'Password' });
const times = { createdAt: string(), usedAt: optional(string()) };
const Passkey = named('Passkey', { id: string(), name: string(), ...times });
const Invitation = named('PasskeyInvitation', { invitation: string(), endsAt: string() });
const PASSKEYS = object({
  passkey: optional(string({ description: 'The name or the id of one.' })),
  all: optional(boolean({ description: 'Remove every passkey.' })),
});
const Selected = object({ ...SELECTED_GRANTS, ...CONFIRMED }, { ...CLOSED, title: 'GrantFilter' });
const Changes = named('ObjectChanges', { items: list(Change), digest: string() });
const UPDATE = optional(boolean({ description: 'Change those that exist.' }));
/** One that is changed has a scope already. */
const NEW_ONES_HAVE_A_SCOPE = {
  if: { properties: { update: { const: true } }, required: ['update'] },
  else: { properties: { integrations: { items: having('scope') } } },
};
const { name, description, vendor, scope, accessTokenFormat } = IntegrationObject.properties;
/** Files of others may have more. */
const Imported = object(
  {
    id: form(NEW_CLIENT_ID, 'client-id-malformed', 'Its client id.'),
    ...{ name, description, vendor, accessTokenFormat },
    scope: optional(scope),
  },
  { title: 'IntegrationToImport', 'x-refusal': 'import-malformed' },
);
const Import = object(
  { integrations: list(Imported, { minItems: 1, maxItems: MOST_ROWS - 1 }), update: UPDATE },
  { ...CLOSED, title: 'IntegrationImport', ...NEW_ONES_HAVE_A_SCOPE },
);
const ImportedOnes = listOf(object({ clientId: string(), isNew: boolean() }), 'ImportedIntegrations');
const FILE_OR_ADDRESS = {
  if: having('file'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { not: having('url') },
  else: having('url'),
};
const KeyAddition = object(
  {
    file: optional(string({ format: 'public-keys', description: 'Public keys: PEM, or JSON (a key or a key set).' })),
    url: optional(form(KEY_ADDRESS, 'key-address-malformed', 'Fetch them from here instead.')),
    authorities: optional(AUTHORITIES),
    allowedAddresses: optional(ranges('Addresses off the public internet to fetch from.')),
  },
  { ...CLOSED, title: 'KeyAddition', ...FILE_OR_ADDRESS },
);
const KEY = object({ key: string({ description: 'Its id, or the address of the keys.' }) });
const LASTS = lifetime('How long it is valid.', [1, LONGEST_SECRET], 'secret-lifetime-malformed');
const REPLACES = object({ replaces: optional(boolean({ description: 'The secrets before it end at once.' })) });
const Key = described<Readonly<Record<string, string>>>({ type: 'object', title: 'PublicKey' });
const EVENTS = object({
  after: optional(integer({ ...NUMBER, description: 'After this number. Without it, the newest.' })),
  before: optional(integer({ ...NUMBER, description: 'The newest before this number.' })),
  integration: SELECTED_GRANTS.integration,
  identity: SELECTED_GRANTS.identity,
  by: optional(string({ description: 'What this identity did: a user name or an id.' })),
  type: optional(described<EventType>({ type: 'string', enum: EVENT_TYPES, description: 'Of this type.' })),
  about: optional(string({ description: 'What was done to the thing of this name, such as an issuer.' })),
  within: ago('Of the last time.'),
  from: optional(
    form(MOMENT, 'object-malformed', 'Since this moment: 2026-11-18, or with a time such as 2026-11-18T03:00Z.'),
  ),
  to: optional(form(MOMENT, 'object-malformed', 'Before this moment.')),
  requestId: optional(string({ description: 'That this request caused.' })),
  epoch: optional(integer({ ...NUMBER, description: 'For followers: refused if the store was put back since.' })),
  limit: optional(integer({ minimum: 1, maximum: 10_000, description: 'At most this many. Default: 100.' })),
});
const Events = named('EventList', { items: list(Event), next: optional(string()), epoch: integer() });
const Nodes = listOf(object({ name: string(), until: string() }), 'NodeList');
const OfRequest = named('RequestExplanation', { events: list(Event), refusals: list(Refusal) });
const Token = object({ token: string({ writeOnly: true }) }, { ...CLOSED, title: 'TokenToExplain' });
const OfToken = described<TokenExplanation>({ type: 'object', title: 'TokenExplanation' });
const PEM = string({ description: 'PEM: the certificate, and any others that the caller sends with it.' });
const Certificates = object({ certificates: PEM }, { ...CLOSED, title: 'CertificatesToExplain' });
const OfCaller = described<CallerExplanation>({ type: 'object', title: 'CertificateExplanation' });
const Assertion = object({ assertion: string({ writeOnly: true }) }, { ...CLOSED, title: 'AssertionToExplain' });
const OfAssertion = described<AssertionExplanation>({ type: 'object', title: 'AssertionExplanation' });
const OfScope = described<ScopeExplanation>({ type: 'object', title: 'ScopeExplanation' });
const SCOPE = object({ integration: string({ description: 'Its client id.' }), scope: string() });
const REFUSALS = object({
  integration: SELECTED_GRANTS.integration,
  identity: SELECTED_GRANTS.identity,
  reason: optional(string({ description: 'For this reason.' })),
});

export const FORMATS = {
  ...formatsOf('integration', IntegrationObject, 'Integration', form(NEW_CLIENT_ID, 'client-id-malformed')),
  ...formatsOf(
    'resource-server',
    ResourceServerObject,
    'ResourceServer',
    form(RESOURCE_SERVER_ID, 'resource-server-id-malformed'),
  ),
  ...formatsOf('issuer', IssuerObject, 'Issuer', LABEL_TEXT, ALL),
  ...formatsOf('token-issuer', TokenIssuerObject, 'TokenIssuer', LABEL_TEXT, ALL),
  ...formatsOf(
    'identity',
    IdentityObject,
    'Identity',
    form(`${USER_NAME.source}|${IDENTITY_ID.source}`, 'user-name-malformed'),
  ),
  'integration-import': { body: Import, answers: ImportedOnes },
  'integration-enable': { answers: IntegrationObject },
  'integration-disable': { answers: IntegrationObject },
  'integration-key-list': { answers: listOf(Key, 'KeyList') },
  'integration-key-add': { body: KeyAddition, answers: IntegrationObject },
  'integration-key-remove': { query: KEY, answers: IntegrationObject },
  'integration-secret-make': { query: object({ endsIn: LASTS }), answers: Secret },
  'integration-secret-drop': { query: object(EVERY), answers: IntegrationObject },
  'resource-server-secret-make': { query: REPLACES, answers: Secret },
  'resource-server-secret-drop': { answers: ResourceServerObject },
  'identity-password': { body: Password, answers: IdentityObject },
  'identity-passkey-list': { answers: listOf(Passkey, 'PasskeyList') },
  'identity-passkey-invite': { answers: Invitation },
  'identity-passkey-remove': { query: PASSKEYS, answers: listOf(Passkey, 'RemovedPasskeys') },
  'identity-enable': { answers: IdentityObject },
  'identity-disable': { answers: IdentityObject },
  'grant-list': {
    query: object({ ...GRANT_FILTER.properties, ...PAGED }),
    answers: listOf(Grant, 'GrantList'),
  },
  'grant-show': { answers: Grant },
  'grant-timeline': { answers: listOf(Event, 'Timeline') },
  'grant-revoke': { answers: Ended },
  'grant-revoke-all': { body: Selected, answers: Ended },
  'event-list': { query: EVENTS, answers: Events },
  'refusal-list': { query: REFUSALS, answers: listOf(Refusal, 'RefusalList') },
  'explain-request': { answers: OfRequest },
  'explain-token': { body: Token, answers: OfToken },
  'explain-certificate': { body: Certificates, answers: OfCaller },
  'explain-assertion': { body: Assertion, answers: OfAssertion },
  'explain-scope': { query: SCOPE, answers: OfScope },
  'object-export': { answers: Document },
  'object-plan': { body: Planned, answers: Changes },
  'object-apply': { body: Applied, answers: Changes },
  'node-list': { answers: Nodes },
} satisfies Readonly<Record<string, Formats>>;

export type ActName = keyof typeof FORMATS;

type ValueIn<F, Part extends string> = F extends { readonly [P in Part]: Schema<infer T> } ? T : object;

/** What each act is given. */
export type Takes<A extends ActName> = {
  readonly query: ValueIn<(typeof FORMATS)[A], 'query'>;
  readonly body: ValueIn<(typeof FORMATS)[A], 'body'>;
};

/** What each act results in. */
export type Gives = { readonly [A in ActName]: (typeof FORMATS)[A] extends Formats<infer T> ? T : never };
