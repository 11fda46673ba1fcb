import { accept } from '../../../core/outcome.ts';
import type { ResourceServer } from '../../../core/resource-server.ts';
import { isoTime } from '../../../core/time.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { changedServer, removeResourceServer } from '../change-resource-server.ts';
import { findIdentity } from '../find-identity.ts';
import { ResourceServerObject, type WrittenResourceServer } from '../objects.ts';
import { type Decide, ending, planned } from '../perform.ts';
import { registering } from '../register-resource-server.ts';
import { checkDraft } from '../resource-server-draft.ts';
import { dropOldSecret, makeResourceServerSecret } from '../resource-server-secret.ts';
import { type ActPorts, afterwards, answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'resource-server', WrittenResourceServer> = {
  kind: 'resource-server',
  section: 'resourceServers',
  schema: ResourceServerObject,
  keyOf: ({ id }) => id,
  isThere: ({ removed }) => !removed,
  unknown: 'resource-server-unknown',
  written: writtenResourceServer,
  resolve: asStored,
  complete: (id, { name = id }) => ({ name }),
  put: async (id, draft, before, ports) => {
    const checked = await checkDraft(id, draft, ports);
    if (!checked.ok) return checked;
    const change: Decide<'resource-server'> = (row) =>
      row && !row.removed ? changedServer(id, checked.value, row) : decline('resource-server-unknown', id);
    if (before) return accept(planned('resource-server', id, change));
    const drafted = await registering(id, checked.value, ports);
    return drafted.ok ? accept(planned('resource-server', id, drafted.value)) : drafted;
  },
  remove: ({ id }) =>
    planned('resource-server', id, (row, at) =>
      row ? ending('resource-server', row, { did: 'removed' }, at) : decline('changed-meanwhile', id),
    ),
};

export const RUNS: RunsOf<'resource-server'> = {
  'resource-server-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    return answering(await removeResourceServer(id, { isConfirmed }, ports), () => ({ id }));
  },
  'resource-server-secret-make': async ({ id = '', query }, ports) => {
    const { replaces = false } = query as { replaces?: boolean };
    const made = await makeResourceServerSecret(id, { replaces }, ports);
    return answering(made, (secret) => ({ secret: secret.reveal() }));
  },
  'resource-server-secret-drop': async ({ id = '' }, ports) => afterwards(await dropOldSecret(id, ports)),
};

/** Not even hashes of secrets are shown. */
function writtenResourceServer(row: ResourceServer): WrittenResourceServer {
  const { removed: _, ...server } = row;
  return { ...server, secrets: server.secrets.map(({ createdAt }) => ({ createdAt: isoTime(createdAt) })) };
}

/** With the id of the identity, and resources in the order in which they are stored. */
async function asStored(body: WrittenResourceServer, ports: ActPorts): Promise<AdminOutcome<WrittenResourceServer>> {
  const resources = body.resources.map((resource) => resource.toLowerCase()).sort();
  if (!body.identity) return accept({ ...body, resources });
  const found = await findIdentity(body.identity, ports);
  return found.ok ? accept({ ...body, resources, identity: found.value.id }) : found;
}
