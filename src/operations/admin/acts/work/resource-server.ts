// Resource servers as operators write them.
import type { DeedOf } from '../../../../core/act.ts';
import { accept } from '../../../../core/outcome.ts';
import { parseAudience, parseResourceServerId, type ResourceServer } from '../../../../core/resource-server.ts';
import { comparableAudience, isSameAudience } from '../../../../core/rules/audience.ts';
import { parseResource, RESERVED_RESOURCE } from '../../../../core/scope.ts';
import { isoTime } from '../../../../core/time.ts';
import { rows } from '../../../../store/pages.ts';
import { integrations } from '../../../../store/tables/integrations.ts';
import { resourceServers } from '../../../../store/tables/resource-servers.ts';
import { type AdminOutcome, decline } from '../../admin.ts';
import { findOnce } from '../../find-identity.ts';
import { ResourceServerObject } from '../../objects.ts';
import { changedBetween } from '../../perform.ts';
import { PLAIN_NAME } from '../../text-forms.ts';
import { claim, type ObjectKind, rowOf, type Whole } from './kind.ts';
import { thingWork } from './thing.ts';

export const KIND: ObjectKind<'resource-server'> = {
  kind: 'resource-server',
  section: 'resourceServers',
  schema: ResourceServerObject,
  keyOf: ({ id }) => id,
  /** Not even hashes of secrets are shown. */
  written: (row) => {
    const { removed: _, ...server } = row;
    return { ...server, secrets: server.secrets.map(({ createdAt }) => ({ createdAt: isoTime(createdAt) })) };
  },
  complete: (id, { name = id }) => ({ name }),
  drafted: async (idText, body, before, ports) => {
    const { name, enabled } = body;
    const id = parseResourceServerId(idText);
    if (!id) return decline('resource-server-id-malformed', idText);
    const audience = parseAudience(body.audience);
    if (!audience) return decline('audience-malformed', body.audience);
    if (!PLAIN_NAME.test(name)) return decline('text-malformed', 'name');
    const resources = served(body.resources);
    if (!resources.ok) return resources;
    if (resources.value.length === 0) return decline('resources-missing', id);
    const isKept = !body.identity || body.identity === before?.identity;
    const identity = isKept ? undefined : await findOnce(body.identity, ports);
    if (identity?.ok === false) return identity;
    const speaker = identity?.value.id ?? (body.identity ? before?.identity : undefined);
    const next: Whole<ResourceServer> = {
      id,
      audience,
      name,
      resources: resources.value,
      enabled,
      secrets: before?.secrets ?? [],
      identity: speaker,
      removed: undefined,
    };
    return accept(rowOf(next, before));
  },
  /** An audience names one resource server, and never this service. An id is never that of an integration. */
  objection: async ({ id, audience }, before, { store, issuer }) => {
    if (before && isSameAudience(before.audience, audience)) return undefined;
    if (isSameAudience(audience, issuer)) return decline('audience-taken', 'this service');
    for await (const other of rows(store, resourceServers)) {
      if (!other.removed && other.id !== id && isSameAudience(other.audience, audience))
        return decline('audience-taken', `the resource server ${other.id}`);
    }
    if (before || !(await store.load(integrations, id)).found) return undefined;
    return decline('resource-server-id-taken', id);
  },
  made: ({ audience, resources }) => ({ did: 'registered', audience, resources: resources.join(' ') }),
  changed: (before, next) => [deedBetween(before, next)],
  // The row stays without secrets, so that events can be read.
  removal: () => ({ did: 'removed' }),
  unconfirmed: 'resource-server-removal-unconfirmed',
  withNames: (body, nameOf) => (body.identity ? { ...body, identity: nameOf(body.identity) } : body),
  claims: ({ id, audience }) => [
    claim('id', id, 'client-id-of-resource-server'),
    claim('audience', comparableAudience(audience), 'audience-taken', `the resource server ${id}`),
  ],
};

function deedBetween(before: ResourceServer, next: ResourceServer): DeedOf<'resource-server'> {
  const { changed } = changedBetween({ ...before, secrets: undefined }, { ...next, secrets: undefined });
  const did = !('enabled' in changed) ? 'changed' : next.enabled ? 'enabled' : 'disabled';
  return { did, changed };
}

function served(texts: readonly string[]): AdminOutcome<readonly string[]> {
  const resources = new Set<string>();
  for (const text of texts) {
    const resource = parseResource(text);
    if (!resource || resource === RESERVED_RESOURCE) return decline('resource-malformed', text);
    resources.add(resource);
  }
  return accept([...resources].sort());
}

export const THINGS = thingWork(KIND);
