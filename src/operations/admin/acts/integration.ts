import { COMMAND_LINE, type Integration } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { integrations } from '../../../store/tables/integrations.ts';
import type { Given } from '../act-types.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { changeIntegration } from '../change-integration.ts';
import { enableIntegration } from '../enable-integration.ts';
import { importIntegrations } from '../import-integrations.ts';
import { namedAccess } from '../integration-draft.ts';
import { completeIntegration, type WrittenIntegration, writtenIntegration } from '../objects.ts';
import { registerIntegration } from '../register-integration.ts';
import { removeIntegration } from '../remove-integration.ts';
import { type ActPorts, afterwards, answer, answering, answerRow, listRows, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'integration'> = {
  'integration-list': ({ query }, { store }) =>
    listRows(store, integrations, query, (row) => (row.removed ? undefined : writtenIntegration(row))),
  'integration-show': ({ id = '' }, ports) => show(id, ports),
  'integration-put': async ({ id = '', body, onlyIf }, ports) => {
    const done = await put(id, body as WrittenIntegration, onlyIf, ports);
    if (done.ok) await admitOwners(done.value.owners, ports);
    return afterwards(done, () => show(id, ports));
  },
  'integration-import': async ({ body }, ports) => {
    const { integrations: entries, update = false } = body as { integrations: unknown; update?: boolean };
    const text = JSON.stringify(entries);
    return answering(await importIntegrations({ text, update }, ports), (items) => ({ items }));
  },
  'integration-enable': async ({ id = '' }, ports) =>
    afterwards(await enableIntegration(id, true, ports), () => show(id, ports)),
  'integration-disable': async ({ id = '' }, ports) =>
    afterwards(await enableIntegration(id, false, ports), () => show(id, ports)),
  'integration-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    const removed = await removeIntegration(id, { isConfirmed, everyNodeKnows: ports.everyNodeKnows }, ports);
    return removed.ok ? answer({ id, endedGrants: removed.value.grants }) : removed;
  },
};

function show(id: string, { store }: Pick<ActPorts, 'store'>) {
  return answerRow(store, integrations, id, (row) =>
    row && !row.removed ? accept(writtenIntegration(row)) : decline('integration-unknown', id),
  );
}

async function put(
  id: string,
  body: WrittenIntegration,
  onlyIf: Given['onlyIf'],
  ports: ActPorts,
): Promise<AdminOutcome<Integration>> {
  const named = await withIds(body, ports);
  if (!named.ok) return named;
  const draft = completeIntegration(id, named.value);
  if (onlyIf !== 'absent') {
    const { found } = await ports.store.load(integrations, id);
    if (onlyIf !== undefined || (found && !found.row.removed)) return changeIntegration(id, draft, ports);
  }
  return registerIntegration(id, draft, ports);
}

/** Owners log in with the integration of the command line. */
export async function admitOwners(owners: readonly string[] = [], ports: ActPorts): Promise<void> {
  const { found } = owners.length > 0 ? await ports.store.load(integrations, COMMAND_LINE) : { found: undefined };
  if (!found || found.row.removed || found.row.access.to !== 'named') return;
  const { groups, identities } = found.row.access;
  const missing = owners.filter((group) => !groups.includes(group));
  if (missing.length === 0) return;
  const access = { to: 'named', identities, groups: [...groups, ...missing] } as const;
  await changeIntegration(COMMAND_LINE, { access }, { ...ports, onlyIf: undefined });
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
