import { accept } from '../../../core/outcome.ts';
import { resourceServers } from '../../../store/tables/resource-servers.ts';
import { decline } from '../admin.ts';
import { changeResourceServer, removeResourceServer } from '../change-resource-server.ts';
import { completeResourceServer, type WrittenResourceServer, writtenResourceServer } from '../objects.ts';
import { registerResourceServer } from '../register-resource-server.ts';
import { dropOldSecret, makeResourceServerSecret } from '../resource-server-secret.ts';
import { type ActPorts, afterwards, answering, answerRow, listRows, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'resource-server'> = {
  'resource-server-list': ({ query }, { store }) =>
    listRows(store, resourceServers, query, (row) => (row.removed ? undefined : writtenResourceServer(row))),
  'resource-server-show': ({ id = '' }, ports) => show(id, ports),
  'resource-server-put': async ({ id = '', body, onlyIf }, ports) => {
    const draft = completeResourceServer(id, body as WrittenResourceServer);
    const isNew = onlyIf === 'absent' || (onlyIf === undefined && !(await show(id, ports)).ok);
    const done = await (isNew ? registerResourceServer : changeResourceServer)(id, draft, ports);
    return afterwards(done, () => show(id, ports));
  },
  'resource-server-remove': async ({ id = '', query }, ports) => {
    const { confirmed: isConfirmed = false } = query as { confirmed?: boolean };
    return answering(await removeResourceServer(id, { isConfirmed }, ports), () => ({ id }));
  },
  'resource-server-secret': async ({ id = '', query }, ports) => {
    const { replaces = false } = query as { replaces?: boolean };
    const made = await makeResourceServerSecret(id, { replaces }, ports);
    return answering(made, (secret) => ({ secret: secret.reveal() }));
  },
  'resource-server-drop-secret': async ({ id = '' }, ports) =>
    afterwards(await dropOldSecret(id, ports), () => show(id, ports)),
};

function show(id: string, { store }: Pick<ActPorts, 'store'>) {
  return answerRow(store, resourceServers, id, (row) =>
    row && !row.removed ? accept(writtenResourceServer(row)) : decline('resource-server-unknown', id),
  );
}
