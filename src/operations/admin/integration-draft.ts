import { type IdentityId, parseIdentityId } from '../../core/identity.ts';
import {
  ACCESS_TOKEN_FORMATS,
  type Access,
  type AccessTokenFormat,
  type ExchangeEntry,
  type Integration,
  parseClientId,
  type TokenOverrides,
} from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { isRedirectUri } from '../../core/redirect-uri.ts';
import { parseScope } from '../../core/scope.ts';
import { JWT_LIFETIME_MAX, LIFETIME_MAX } from '../../core/settings.ts';
import { isAddressRange } from '../../outbound/address-filter.ts';
import { isSigned } from '../../tokens/access-token.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import { findResourceServer } from './find-resource-server.ts';

/** Fields that are left out get their default, or keep their value. */
export interface IntegrationDraft {
  readonly name?: string;
  readonly description?: string;
  readonly vendor?: string;
  readonly scope?: string;
  readonly enabled?: boolean;
  readonly flows?: Partial<Integration['flows']>;
  readonly access?: Access;
  readonly binding?: Integration['binding'];
  readonly accessTokenFormat?: string;
  readonly overrides?: TokenOverrides;
  readonly owners?: readonly string[];
  readonly tokenEndpointAudience?: boolean;
  readonly publicEnterprise?: boolean;
  /** An empty list: from everywhere. */
  readonly secretAddresses?: readonly string[];
  /** An empty text: none. */
  readonly resourceServer?: string;
  readonly exchange?: readonly ExchangeEntry[];
}

const TEXT_MAX_LENGTH = 1000;
// These texts are shown on terminals and pages.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A new integration, or `before` with the draft's changes. */
export function draftedIntegration(
  clientIdText: string,
  draft: IntegrationDraft,
  before?: Integration,
): AdminOutcome<Integration> {
  const clientId = parseClientId(clientIdText);
  if (!clientId || (!before && (MARKUP.test(clientId) || clientId.startsWith('https://'))))
    return decline('client-id-malformed', clientIdText);
  const scope = draft.scope === undefined ? before?.scope : parseScope(draft.scope);
  if (!scope) return draft.scope ? decline('scope-malformed', draft.scope) : decline('scope-missing', clientId);
  const wanted = draft.accessTokenFormat ?? before?.accessTokenFormat ?? 'opaque';
  const accessTokenFormat = formatOf(wanted);
  if (!accessTokenFormat) return decline('access-token-format-unknown', wanted);
  const objection = objectionTo(draft);
  if (objection) return objection;
  const overrides = defined({ ...before?.overrides, ...draft.overrides });
  if (isSigned(accessTokenFormat) && (overrides.accessTokenLifetime ?? 0) > JWT_LIFETIME_MAX)
    return decline('lifetime-too-long', 'accessTokenLifetime');
  const next: Integration = {
    ...before,
    clientId,
    name: draft.name ?? before?.name ?? clientId,
    description: draft.description ?? before?.description ?? '',
    vendor: draft.vendor ?? before?.vendor ?? '',
    scope,
    enabled: draft.enabled ?? before?.enabled ?? true,
    flows: said({ device: true, certificate: true, ...before?.flows, ...draft.flows }, ['assertion', 'secret', 'code']),
    access: draft.access ?? before?.access ?? { to: 'everyone' },
    binding: draft.binding ?? before?.binding ?? 'none',
    accessTokenFormat,
    overrides,
    ...Object.fromEntries(OPTIONAL.map((name) => [name, draft[name] ?? before?.[name]])),
  };
  return accept(said(next, OPTIONAL));
}

/** Undefined removes an override. */
function defined(overrides: TokenOverrides): TokenOverrides {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
}

const OPTIONAL = [
  'owners',
  'tokenEndpointAudience',
  'publicEnterprise',
  'secretAddresses',
  'resourceServer',
  'exchange',
] as const satisfies (keyof IntegrationDraft)[];

/** Without what is optional and false or empty. */
function said<T extends object>(values: T, optional: readonly string[]): T {
  const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !optional.includes(name) || !isEmpty(value)),
  ) as T;
}

/** Names end up in pages, terminals and logs of others, which may not escape them. */
const MARKUP = /[<>"`\\]/;

const MOST_REDIRECT_URIS = 20;
/** More belong into a group. */
const MOST_NAMED = 1_000;

function objectionTo(draft: IntegrationDraft) {
  const { name, description, vendor, access, flows, overrides = {}, secretAddresses = [], exchange = [] } = draft;
  if (draft.owners?.some((group) => group === '' || !isPrintable(group))) return decline('text-malformed', 'owner');
  const { redirectUris = [] } = flows?.code || {};
  const wrong = redirectUris.find((uri) => !isRedirectUri(uri)) ?? redirectUris[MOST_REDIRECT_URIS];
  if (wrong !== undefined) return decline('redirect-uri-malformed', wrong);
  if (name === '' || (name && MARKUP.test(name))) return decline('text-malformed', 'name');
  for (const [field, text] of Object.entries({ name, description, vendor })) {
    if (text !== undefined && !isPrintable(text)) return decline('text-malformed', field);
  }
  for (const field of ['accessTokenLifetime', 'grantLifetime', 'refreshRetryWindow'] as const) {
    const { [field]: length = 1 } = overrides;
    const isZero = length < 1 && field !== 'refreshRetryWindow';
    if (isZero || length > LIFETIME_MAX) return decline('lifetime-malformed', field);
  }
  const range = secretAddresses.find((text) => !isAddressRange(text));
  if (range !== undefined) return decline('address-range-malformed', range);
  const entry = exchange.find(({ integration, scope }) => !parseClientId(integration) || !parseScope(scope));
  if (entry) return decline('exchange-malformed', `${entry.integration}=${entry.scope}`);
  if (access?.to !== 'named') return undefined;
  if (access.groups.some((group) => group === '' || !isPrintable(group))) return decline('text-malformed', 'group');
  if (access.identities.length > MOST_NAMED) return tooMany();
  const malformed = access.identities.find((id) => !parseIdentityId(id));
  return malformed === undefined ? undefined : decline('identity-id-malformed', malformed);
}

function tooMany() {
  return decline('object-malformed', `access names more than ${MOST_NAMED} identities: put them into a group`);
}

export function formatOf(text: string): AccessTokenFormat | undefined {
  return ACCESS_TOKEN_FORMATS.find((format) => format === text);
}

export function isPrintable(text: string): boolean {
  return text.length <= TEXT_MAX_LENGTH && !UNPRINTABLE.test(text);
}

export interface NamedAccessDraft {
  /** User names or ids. */
  readonly identities: readonly string[];
  readonly groups: readonly string[];
}

/** Access for named identities and groups. Operators may give user names; the integration stores ids, each once. */
export async function namedAccess(
  { identities, groups }: NamedAccessDraft,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Access>> {
  const ids = new Set<IdentityId>();
  if (identities.length > MOST_NAMED) return tooMany();
  for (const name of new Set(identities)) {
    const found = await findIdentity(name, ports);
    if (!found.ok) return found;
    ids.add(found.value.id);
  }
  return accept({ to: 'named', identities: [...ids], groups });
}

/** The resource server that the draft names must exist. */
export async function whyNotServer({ resourceServer }: IntegrationDraft, ports: Pick<AdminPorts, 'store'>) {
  const found = resourceServer ? await findResourceServer(resourceServer, ports) : undefined;
  return found?.ok === false ? found : undefined;
}
