// Converts flags of `tessera integration` to drafts, and integrations to what is printed.
import { formatDuration } from '../../../core/duration.ts';
import type { AccessTokenFormat, Binding, ClientId, Integration, OnReuse } from '../../../core/integration.ts';
import type { Seconds } from '../../../core/time.ts';
import type { IntegrationDraft } from '../../../operations/admin/integration-draft.ts';
import type { WrittenIntegration } from '../../../operations/admin/objects.ts';

export interface IntegrationFlags {
  readonly name?: string;
  readonly description?: string;
  readonly vendor?: string;
  readonly scope?: string;
  readonly accessTokenFormat?: AccessTokenFormat;
  readonly accessTokenLifetime?: Seconds;
  readonly grantLifetime?: Seconds;
  readonly refreshRetryWindow?: Seconds;
  readonly refresh?: boolean;
  readonly onReuse?: OnReuse;
  readonly device?: boolean;
  readonly certificate?: boolean;
  readonly assertion?: boolean;
  readonly code?: boolean;
  readonly redirectUri?: readonly string[];
  readonly secret?: boolean;
  readonly secretAddress?: readonly string[];
  readonly tokenEndpointAudience?: boolean;
  readonly publicEnterprise?: boolean;
  readonly resourceServer?: string;
  readonly exchange?: readonly string[] | false;
  readonly binding?: Binding;
  readonly onlyIdentity?: readonly string[];
  readonly onlyGroup?: readonly string[];
  readonly everyone?: true;
  readonly owner?: readonly string[];
  readonly json?: true;
}

export function draftOf(flags: IntegrationFlags) {
  const { device, certificate, assertion, secret, onlyIdentity: _, onlyGroup: __, everyone: ___, ...more } = flags;
  const { secretAddress, exchange, code: ____, redirectUri: _____, json: ______, owner: owners, ...rest } = more;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse, ...texts } = rest;
  const access = accessOf(flags);
  return {
    ...texts,
    ...(secretAddress && { secretAddresses: secretAddress.filter((address) => address !== 'any') }),
    ...exchangeOf(exchange),
    flows: given({ device, certificate, assertion, secret, code: codeFlowOf(flags) }),
    overrides: given({ accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse }),
    ...(access && { access }),
    ...(owners && { owners }),
  };
}

/** The act looks up user names. */
function accessOf({ onlyIdentity: identities = [], onlyGroup: groups = [], everyone }: IntegrationFlags) {
  if (everyone) return { to: 'everyone' } as const;
  return identities.length === 0 && groups.length === 0 ? undefined : { to: 'named', identities, groups };
}

/** `--code yes` alone is for clients with a document, which lists their redirect URIs. */
function codeFlowOf({ code, redirectUri }: IntegrationFlags): Integration['flows']['code'] {
  if (code === false) return false;
  return redirectUri || code ? { redirectUris: redirectUri ?? [] } : undefined;
}

/** `false`: --no-exchange. */
function exchangeOf(given: IntegrationFlags['exchange']): Pick<IntegrationDraft, 'exchange'> {
  if (given === undefined) return {};
  const entries = (given || []).map((text) => {
    const [integration = '', ...scope] = text.split('=');
    return { integration: integration as ClientId, scope: scope.join('=') };
  });
  return { exchange: entries };
}

/** Drops undefined values: in a draft they would overwrite what is stored. */
function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

export function recordOf(integration: WrittenIntegration): Record<string, string> {
  const { clientId = '', name = '', description = '', vendor = '', scope, enabled = true, flows = {} } = integration;
  const { access = { to: 'everyone' }, binding = 'none', accessTokenFormat = 'opaque', overrides = {} } = integration;
  const { owners = [] } = integration;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse } = overrides;
  return {
    'client id': clientId,
    name,
    description,
    vendor,
    scope,
    enabled: yesNo(enabled),
    'by browser': yesNo(flows.device ?? true),
    'by certificate': yesNo(flows.certificate ?? true),
    ...(flows.assertion && { 'by assertion': 'yes' }),
    ...(flows.code && { 'by code': flows.code.redirectUris.join(', ') || 'yes, for clients with a document' }),
    ...proofsOf(integration),
    'who may use it': access.to === 'everyone' ? 'everyone' : [...access.identities, ...access.groups].join(', '),
    ...(owners.length > 0 && { owners: owners.join(', ') }),
    binding,
    'access tokens': accessTokenFormat,
    ...(accessTokenLifetime !== undefined && { 'access token lifetime': formatDuration(accessTokenLifetime) }),
    ...(grantLifetime !== undefined && { 'grant lifetime': formatDuration(grantLifetime) }),
    ...(refreshRetryWindow !== undefined && { 'refresh retry window': formatDuration(refreshRetryWindow) }),
    ...(refresh !== undefined && { refresh: yesNo(refresh) }),
    ...(onReuse !== undefined && { 'on reuse': onReuse }),
  };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function proofsOf(integration: WrittenIntegration): Record<string, string> {
  const { flows = {}, secretAddresses = [], resourceServer, exchange = [], keys, secrets = [] } = integration;
  return {
    ...(keys && { 'by key': keys.join(', ') }),
    ...(flows.secret && { 'by secret': secrets.map(({ endsAt }) => `until ${endsAt}`).join(', ') || 'none made yet' }),
    ...(secretAddresses.length > 0 && { 'secrets from': secretAddresses.join(', ') }),
    ...(resourceServer && { 'resource server': resourceServer }),
    ...(exchange.length > 0 && {
      'exchanged by': exchange.map(({ integration: by, scope }) => `${by} for ${scope}`).join(', '),
    }),
  };
}
