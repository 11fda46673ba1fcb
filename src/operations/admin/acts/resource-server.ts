import type { DeedOf } from '../../../core/act.ts';
import type { ResourceServer } from '../../../core/resource-server.ts';
import { decline } from '../admin.ts';
import { ResourceServerObject, type WrittenResourceServer } from '../objects.ts';
import { changedBetween, ending, rewrite } from '../perform.ts';
import { draftedResourceServer, objectionToResourceServer, writtenResourceServer } from '../resource-server-draft.ts';
import { dropOldSecret, makeResourceServerSecret } from '../resource-server-secret.ts';
import { afterwards, answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'resource-server', WrittenResourceServer> = {
  kind: 'resource-server',
  section: 'resourceServers',
  schema: ResourceServerObject,
  keyOf: ({ id }) => id,
  written: writtenResourceServer,
  complete: (id, { name = id }) => ({ name }),
  drafted: draftedResourceServer,
  objection: objectionToResourceServer,
  made: ({ audience, resources }) => ({ did: 'registered', audience, resources: resources.join(' ') }),
  changed: (before, next) => [deedBetween(before, next)],
  removal: () => ({ did: 'removed' }),
};

function deedBetween(before: ResourceServer, next: ResourceServer): DeedOf<'resource-server'> {
  const { changed } = changedBetween({ ...before, secrets: undefined }, { ...next, secrets: undefined });
  const did = !('enabled' in changed) ? 'changed' : next.enabled ? 'enabled' : 'disabled';
  return { did, changed };
}

export const RUNS: RunsOf<'resource-server'> = {
  'resource-server-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    // The row stays without secrets, so that events can be read.
    const removed = await rewrite('resource-server', id, ports, (before, at) =>
      isConfirmed
        ? ending('resource-server', before, { did: 'removed' }, at)
        : decline('resource-server-removal-unconfirmed', id),
    );
    return answering(removed, () => ({ id }));
  },
  'resource-server-secret-make': async ({ id = '', query }, ports) => {
    const { replaces = false } = query as { replaces?: boolean };
    const made = await makeResourceServerSecret(id, { replaces }, ports);
    return answering(made, (secret) => ({ secret: secret.reveal() }));
  },
  'resource-server-secret-drop': async ({ id = '' }, ports) => afterwards(await dropOldSecret(id, ports)),
};
