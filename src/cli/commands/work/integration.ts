import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeIntegration } from '../../../operations/admin/change-integration.ts';
import { enableIntegration } from '../../../operations/admin/enable-integration.ts';
import { findIntegration, listIntegrations } from '../../../operations/admin/find-integration.ts';
import { importIntegrations } from '../../../operations/admin/import-integrations.ts';
import { registerIntegration } from '../../../operations/admin/register-integration.ts';
import { removeIntegration } from '../../../operations/admin/remove-integration.ts';
import { counted, print, printJson, printRecord, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import { draftOf, type IntegrationFlags, recordOf, shownIntegration } from './integration-flags.ts';

export async function addOne(clientId: string, flags: IntegrationFlags, workplace: Workplace): Promise<void> {
  const draft = accepted(await draftOf(flags, workplace));
  const integration = accepted(await registerIntegration(clientId, draft, workplace));
  print(`Registered ${clientId} with the scope ${integration.scope.text}`);
  result(shownIntegration(integration));
}

export async function changeOne(clientId: string, flags: IntegrationFlags, workplace: Workplace): Promise<void> {
  const draft = accepted(await draftOf(flags, workplace));
  const integration = accepted(await changeIntegration(clientId, draft, workplace));
  print(`Changed ${clientId}`);
  result(shownIntegration(integration));
}

export async function importFile(
  file: string,
  { update = false }: { update?: boolean },
  workplace: Workplace,
): Promise<void> {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  const imported = accepted(await importIntegrations({ text, update }, workplace));
  for (const { clientId, isNew } of imported) print(`${isNew ? 'Registered' : 'Changed'} ${clientId}`);
  result(imported);
}

export async function printIntegrations({ json }: { json?: true }, workplace: Workplace): Promise<void> {
  const found = await listIntegrations(workplace);
  if (json) return printJson(found.map(shownIntegration));
  const lines = found.map(({ clientId, name, scope, enabled }) => [clientId, name, enabled ? 'yes' : 'no', scope.text]);
  printTable(['client id', 'name', 'enabled', 'scope'], lines);
}

export async function printIntegration(
  clientId: string,
  { json }: { json?: true },
  workplace: Workplace,
): Promise<void> {
  const integration = accepted(await findIntegration(clientId, workplace));
  if (json) printJson(shownIntegration(integration));
  else printRecord(recordOf(integration));
}

export function switchIntegration(enabled: boolean) {
  return async (clientId: string, _: unknown, workplace: Workplace) => {
    const integration = accepted(await enableIntegration(clientId, enabled, workplace));
    print(`The integration ${clientId} is ${enabled ? 'enabled' : 'disabled'}`);
    result(shownIntegration(integration));
  };
}

/** Nodes read the integrations again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

export async function removeOne(
  clientId: string,
  { yes = false }: { yes?: boolean },
  workplace: Workplace,
): Promise<void> {
  const draft = { isConfirmed: yes, everyNodeKnows: () => sleep(EVERYWHERE_MS) };
  const { grants } = accepted(await removeIntegration(clientId, draft, workplace));
  print(`Removed ${clientId} and ended ${counted(grants, 'grant')}`);
  result({ clientId, endedGrants: grants });
}
