// Between the flags of `tessera integration` and an integration, both ways.
import { formatDuration } from '../../config/duration.ts';
import type { Access, Binding, Integration, OnReuse } from '../../core/integration.ts';
import type { Seconds } from '../../core/time.ts';
import { findIdentity } from '../../operations/admin/find-identity.ts';
import type { IntegrationDraft } from '../../operations/admin/integration-draft.ts';
import type { Store } from '../../store/store.ts';
import { granted } from '../terminal/wording.ts';

export interface IntegrationFlags {
  readonly name?: string;
  readonly description?: string;
  readonly vendor?: string;
  readonly scope?: string;
  readonly accessTokenLifetime?: Seconds;
  readonly grantLifetime?: Seconds;
  readonly refreshRetryWindow?: Seconds;
  readonly refresh?: boolean;
  readonly onReuse?: OnReuse;
  readonly device?: boolean;
  readonly certificate?: boolean;
  readonly binding?: Binding;
  readonly onlyIdentity?: readonly string[];
  readonly onlyGroup?: readonly string[];
  readonly everyone?: true;
}

export async function draftOf(flags: IntegrationFlags, store: Store): Promise<IntegrationDraft> {
  const { device, certificate, onlyIdentity: _, onlyGroup: __, everyone: ___, ...rest } = flags;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse, ...texts } = rest;
  const access = await accessOf(flags, store);
  return {
    ...texts,
    flows: given({ device, certificate }),
    overrides: given({ accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse }),
    ...(access && { access }),
  };
}

/** Identities may be named by their user names; the integration keeps their ids. */
async function accessOf(flags: IntegrationFlags, store: Store): Promise<Access | undefined> {
  const { onlyIdentity = [], onlyGroup = [], everyone } = flags;
  if (everyone) return { to: 'everyone' };
  if (onlyIdentity.length === 0 && onlyGroup.length === 0) return undefined;
  const found = await Promise.all(onlyIdentity.map((name) => findIdentity(name, { store })));
  return { to: 'named', identities: found.map((outcome) => granted(outcome).id), groups: onlyGroup };
}

/** Without what is undefined: absent and undefined are not the same in a row. */
function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

export function shownIntegration({ scope, ...rest }: Integration): object {
  return { ...rest, scope: scope.text };
}

export function recordOf(integration: Integration): Record<string, string> {
  const { clientId, name, description, vendor, scope, enabled, flows, access, binding, overrides } = integration;
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
    'who may use it': access.to === 'everyone' ? 'everyone' : [...access.identities, ...access.groups].join(', '),
    binding,
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
