import { readFileSync } from 'node:fs';
import type { Integration } from '../../../core/integration.ts';
import { parseImport } from '../../../operations/admin/import-integrations.ts';
import { counted, print, printJson, printRecord, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { draftOf, type IntegrationFlags, recordOf } from './integration-flags.ts';
import { type Administration, change, itemsOf } from './steps.ts';

type Flows = Pick<Integration['flows'], 'code'>;

export async function addOne(clientId: string, flags: IntegrationFlags, { act }: Administration): Promise<void> {
  const put = await act('integration-put', { id: clientId, body: draftOf(flags), onlyIf: 'absent' });
  const integration = accepted(put).value;
  print(`Registered ${clientId} with the scope ${integration.scope}`);
  result(integration);
}

export async function changeOne(
  clientId: string,
  flags: IntegrationFlags,
  administration: Administration,
): Promise<void> {
  const { flows, overrides, ...draft } = draftOf(flags);
  const integration = await change(
    'integration',
    clientId,
    (before) => ({
      ...before,
      ...draft,
      flows: { ...before.flows, ...flows, ...keptCode(before.flows ?? {}, flows) },
      overrides: { ...before.overrides, ...overrides },
    }),
    administration,
  );
  print(`Changed ${clientId}`);
  result(integration);
}

/** Turning codes on keeps the redirect URIs that are registered. */
function keptCode({ code: before }: Flows, { code }: Flows): Flows {
  return before && code && code.redirectUris.length === 0 ? { code: before } : {};
}

export async function importFile(
  file: string,
  { update = false }: { update?: boolean },
  { act }: Administration,
): Promise<void> {
  const integrations = accepted(parseImport(readFileSync(file === '-' ? 0 : file, 'utf8')));
  const { items } = accepted(await act('integration-import', { body: { integrations, update } })).value;
  for (const { clientId, isNew } of items) print(`${isNew ? 'Registered' : 'Changed'} ${clientId}`);
  result(items);
}

export async function printIntegrations({ json }: { json?: true }, administration: Administration): Promise<void> {
  const found = await itemsOf('integration-list', {}, administration);
  if (json) return printJson(found);
  const lines = found.map(({ clientId, name, scope, enabled }) => [clientId, name, enabled ? 'yes' : 'no', scope]);
  printTable(['client id', 'name', 'enabled', 'scope'], lines);
}

export async function printIntegration(
  clientId: string,
  { json }: { json?: true },
  { act }: Administration,
): Promise<void> {
  const integration = accepted(await act('integration-show', { id: clientId })).value;
  if (json) printJson(integration);
  else printRecord(recordOf(integration));
}

export function switchIntegration(enabled: boolean) {
  return async (clientId: string, _: unknown, { act }: Administration) => {
    const name = enabled ? 'integration-enable' : 'integration-disable';
    const integration = accepted(await act(name, { id: clientId })).value;
    print(`The integration ${clientId} is ${enabled ? 'enabled' : 'disabled'}`);
    result(integration);
  };
}

export async function removeOne(
  clientId: string,
  { yes = false }: { yes?: boolean },
  { act }: Administration,
): Promise<void> {
  const removed = await act('integration-remove', { id: clientId, query: { confirmed: yes } });
  const { endedGrants = 0 } = accepted(removed).value;
  print(`Removed ${clientId} and ended ${counted(endedGrants, 'grant')}`);
  result({ clientId, endedGrants });
}
