// Converts flags of `tessera integration` to drafts, and integrations to what is printed.
import { formatDuration } from '../../../config/duration.ts';
import type { Access, AccessTokenFormat, Binding, ClientId, Integration, OnReuse } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import type { Seconds } from '../../../core/time.ts';
import type { AdminOutcome, AdminPorts } from '../../../operations/admin/admin.ts';
import { type IntegrationDraft, namedAccess } from '../../../operations/admin/integration-draft.ts';
import { shownProofs } from './integration-keys.ts';

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
}

export async function draftOf(
  flags: IntegrationFlags,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<IntegrationDraft>> {
  const { device, certificate, assertion, secret, onlyIdentity: _, onlyGroup: __, everyone: ___, ...more } = flags;
  const { secretAddress, exchange, code: ____, redirectUri: _____, ...rest } = more;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse, ...texts } = rest;
  const access = await accessOf(flags, ports);
  if (!access.ok) return access;
  return accept({
    ...texts,
    ...(secretAddress && { secretAddresses: secretAddress.filter((address) => address !== 'any') }),
    ...exchangeOf(exchange),
    flows: given({ device, certificate, assertion, secret, code: codeFlowOf(flags) }),
    overrides: given({ accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse }),
    ...(access.value && { access: access.value }),
  });
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

async function accessOf(
  { onlyIdentity: identities = [], onlyGroup: groups = [], everyone }: IntegrationFlags,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Access | undefined>> {
  if (everyone) return accept({ to: 'everyone' });
  if (identities.length === 0 && groups.length === 0) return accept(undefined);
  return namedAccess({ identities, groups }, ports);
}

/** Drops undefined values: in a draft they would overwrite what is stored. */
function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Not even hashes of secrets are shown. */
export function shownIntegration(integration: Integration): object {
  const { scope, keys: _, secrets: __, ...rest } = integration;
  return { ...rest, ...shownProofs(integration), scope: scope.text };
}

export function recordOf(integration: Integration): Record<string, string> {
  const { clientId, name, description, vendor, scope, enabled, flows, access, binding, accessTokenFormat, overrides } =
    integration;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse } = overrides;
  return {
    'client id': clientId,
    name,
    description,
    vendor,
    scope: scope.text,
    enabled: yesNo(enabled),
    'by browser': yesNo(flows.device),
    'by certificate': yesNo(flows.certificate),
    ...(flows.assertion && { 'by assertion': 'yes' }),
    ...(flows.code && { 'by code': flows.code.redirectUris.join(', ') || 'yes, for clients with a document' }),
    ...proofsOf(integration),
    'who may use it': access.to === 'everyone' ? 'everyone' : [...access.identities, ...access.groups].join(', '),
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

function proofsOf(integration: Integration): Record<string, string> {
  const { flows, secretAddresses = [], resourceServer, exchange = [] } = integration;
  const { keys, secrets = [] } = shownProofs(integration);
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
