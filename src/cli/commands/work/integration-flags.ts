// Converts flags of `tessera integration` to drafts, and integrations to what is printed.
import { formatDuration } from '../../../config/duration.ts';
import type { AccessTokenFormat, Binding, OnReuse } from '../../../core/integration.ts';
import type { Seconds } from '../../../core/time.ts';
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
  readonly binding?: Binding;
  readonly onlyIdentity?: readonly string[];
  readonly onlyGroup?: readonly string[];
  readonly everyone?: true;
  readonly owner?: readonly string[];
  readonly json?: true;
}

export function draftOf(flags: IntegrationFlags) {
  const {
    device,
    certificate,
    assertion,
    onlyIdentity: _,
    onlyGroup: __,
    everyone: ___,
    json: ____,
    owner: owners,
    ...rest
  } = flags;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse, ...texts } = rest;
  const access = accessOf(flags);
  return {
    ...texts,
    flows: given({ device, certificate, assertion }),
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

/** Drops undefined values: in a draft they would overwrite what is stored. */
function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

export function recordOf(integration: WrittenIntegration): Record<string, string> {
  const { clientId = '', name = '', description = '', vendor = '', scope, enabled = true, flows = {} } = integration;
  const {
    access = { to: 'everyone' },
    binding = 'none',
    accessTokenFormat = 'opaque',
    overrides = {},
    owners,
  } = integration;
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
    'who may use it': access.to === 'everyone' ? 'everyone' : [...access.identities, ...access.groups].join(', '),
    ...(owners && { owners: owners.join(', ') }),
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
