import { COMMAND_LINE, type Integration, keyNames } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { isoTime, seconds } from '../../../core/time.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { changingKnown } from '../change-integration.ts';
import { enableIntegration } from '../enable-integration.ts';
import { findIntegration } from '../find-integration.ts';
import { importIntegrations } from '../import-integrations.ts';
import { draftedIntegration, type IntegrationDraft, namedAccess } from '../integration-draft.ts';
import { addIntegrationKeys, type KeyAddition, removeIntegrationKey } from '../integration-keys.ts';
import { dropIntegrationSecrets, makeIntegrationSecret } from '../integration-secret.ts';
import { IntegrationObject, type WrittenIntegration } from '../objects.ts';
import { ending, planned } from '../perform.ts';
import { registering, whyNotRegister } from '../register-integration.ts';
import { removeIntegration } from '../remove-integration.ts';
import { type ActPorts, afterwards, answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'integration', WrittenIntegration> = {
  kind: 'integration',
  section: 'integrations',
  schema: IntegrationObject,
  keyOf: ({ clientId }) => clientId,
  isThere: ({ removed }) => !removed,
  unknown: 'integration-unknown',
  written: writtenIntegration,
  resolve: withIds,
  complete: (id, { name = id }) => ({ name }),
  put: async (id, given, before, ports) => {
    const draft = given as IntegrationDraft;
    const objection = await whyNotRegister(id, draft, ports);
    if (objection) return objection;
    if (before) return accept(planned('integration', id, changingKnown(id, draft, ports.isOwner)));
    const drafted = draftedIntegration(id, draft);
    return drafted.ok ? accept(planned('integration', id, registering(drafted.value))) : drafted;
  },
  // Without the integration of the command line, the next `apply` from elsewhere would have no way in.
  remove: ({ clientId }) =>
    clientId === COMMAND_LINE
      ? undefined
      : planned('integration', clientId, (row, at) =>
          row ? ending('integration', row, { did: 'removed' }, at) : decline('changed-meanwhile', clientId),
        ),
};

export const RUNS: RunsOf<'integration'> = {
  'integration-import': async ({ body }, ports) => {
    const { integrations: entries, update = false } = body as { integrations: unknown; update?: boolean };
    const text = JSON.stringify(entries);
    return answering(await importIntegrations({ text, update }, ports), (items) => ({ items: [...items] }));
  },
  'integration-enable': async ({ id = '' }, ports) => afterwards(await enableIntegration(id, true, ports)),
  'integration-disable': async ({ id = '' }, ports) => afterwards(await enableIntegration(id, false, ports)),
  'integration-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    const removed = await removeIntegration(id, { isConfirmed, everyNodeKnows: ports.everyNodeKnows }, ports);
    return answering(removed, ({ grants }) => ({ id, endedGrants: grants }));
  },
  'integration-key-list': async ({ id = '' }, ports) =>
    answering(await findIntegration(id, ports), ({ keys }) => ({ items: [...shownKeys(keys)] })),
  'integration-key-add': async ({ id = '', body }, ports) =>
    afterwards(await addIntegrationKeys(id, { url: '', ...(body as object) } as KeyAddition, ports)),
  'integration-key-remove': async ({ id = '', query }, ports) => {
    const { key } = query as { key: string };
    return afterwards(await removeIntegrationKey(id, key, ports));
  },
  'integration-secret-make': async ({ id = '', query }, ports) => {
    const { endsIn } = query as { endsIn: number };
    const made = await makeIntegrationSecret(id, seconds(endsIn), ports);
    return answering(made, ({ secret, endsAt }) => ({ secret: secret.reveal(), endsAt: isoTime(endsAt) }));
  },
  'integration-secret-drop': async ({ id = '', query }, ports) => {
    const { all = false } = query as { all?: boolean };
    return afterwards(await dropIntegrationSecrets(id, { all }, ports));
  },
};

/** Not even hashes of secrets are shown. */
function writtenIntegration(row: Integration): WrittenIntegration {
  const { scope, removed: _, disabledByOwner: __, keys, secrets, ...integration } = row;
  const made = secrets?.map(({ createdAt, endsAt }) => ({ createdAt: isoTime(createdAt), endsAt: isoTime(endsAt) }));
  return { ...integration, ...(keys && { keys: keyNames(keys) }), ...(made && { secrets: made }), scope: scope.text };
}

function shownKeys(keys: Integration['keys']): readonly Readonly<Record<string, string>>[] {
  if (keys?.from === 'url') return [{ url: keys.url }];
  return keys ? (JSON.parse(keys.set) as { readonly keys: readonly Record<string, string>[] }).keys : [];
}

/** Operators may give user names; the integration stores ids. */
export async function withIds(
  body: WrittenIntegration,
  ports: Pick<ActPorts, 'store'>,
): Promise<AdminOutcome<WrittenIntegration>> {
  if (body.access?.to !== 'named') return accept(body);
  const access = await namedAccess(body.access, ports);
  return access.ok ? accept({ ...body, access: access.value }) : access;
}
