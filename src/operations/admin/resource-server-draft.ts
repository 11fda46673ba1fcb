import type { IdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { parseAudience, parseResourceServerId, type ResourceServer } from '../../core/resource-server.ts';
import { isSameAudience } from '../../core/rules/audience.ts';
import { parseResource, RESERVED_RESOURCE } from '../../core/scope.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import { listResourceServers } from './find-resource-server.ts';
import { isPrintable } from './integration-draft.ts';

/** Fields that are left out get their default, or keep their value. */
export interface ResourceServerDraft {
  readonly audience?: string;
  readonly name?: string;
  readonly resources?: readonly string[];
  readonly enabled?: boolean;
  /** A user name or an id; false, or an empty text: none. */
  readonly identity?: string | false;
}

/** The address of this service, which no resource server may have as its audience. */
export interface ResourceServerPorts extends AdminPorts {
  readonly issuer: string;
}

/** A draft that was checked as far as the store is needed for it. */
export interface CheckedDraft extends Omit<ResourceServerDraft, 'identity'> {
  readonly identity?: IdentityId | false;
}

/** Checks what depends on other rows: the identity exists, and nobody else has the audience. */
export async function checkDraft(
  id: string,
  { identity: name, ...draft }: ResourceServerDraft,
  ports: ResourceServerPorts,
): Promise<AdminOutcome<CheckedDraft>> {
  const { audience } = draft;
  if (audience !== undefined && isSameAudience(audience, ports.issuer))
    return decline('audience-taken', 'this service');
  const others = audience === undefined ? [] : await listResourceServers(ports);
  const owner = others.find((other) => isSameAudience(other.audience, audience ?? '') && other.id !== id);
  if (owner) return decline('audience-taken', `the resource server ${owner.id}`);
  if (name === undefined) return accept(draft);
  if (!name) return accept({ ...draft, identity: false });
  const found = await findIdentity(name, ports);
  return found.ok ? accept({ ...draft, identity: found.value.id }) : found;
}

/** A new resource server, or `before` with the draft's changes. */
export function draftedResourceServer(
  idText: string,
  draft: CheckedDraft,
  before?: ResourceServer,
): AdminOutcome<ResourceServer> {
  const id = parseResourceServerId(idText);
  if (!id) return decline('resource-server-id-malformed', idText);
  const audience = draft.audience === undefined ? before?.audience : parseAudience(draft.audience);
  if (!audience) return decline('audience-malformed', draft.audience ?? '');
  const name = draft.name ?? before?.name ?? id;
  if (name === '' || !isPrintable(name)) return decline('text-malformed', 'name');
  const resources = draft.resources === undefined ? accept(before?.resources ?? []) : served(draft.resources);
  if (!resources.ok) return resources;
  if (resources.value.length === 0) return decline('resources-missing', id);
  const identity = draft.identity === undefined ? before?.identity : draft.identity || undefined;
  return accept({
    id,
    audience,
    name,
    resources: resources.value,
    enabled: draft.enabled ?? before?.enabled ?? true,
    secrets: before?.secrets ?? [],
    ...(identity && { identity }),
  });
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
