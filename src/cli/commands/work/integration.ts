import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { changeIntegration } from '../../../operations/admin/change-integration.ts';
import { enableIntegration } from '../../../operations/admin/enable-integration.ts';
import { findIntegration } from '../../../operations/admin/find-integration.ts';
import { importIntegrations } from '../../../operations/admin/import-integrations.ts';
import { listIntegrations } from '../../../operations/admin/list-integrations.ts';
import { registerIntegration } from '../../../operations/admin/register-integration.ts';
import { print, printJson, printRecord, printTable } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace } from '../../terminal/workplace.ts';
import { draftOf, type IntegrationFlags, recordOf, shownIntegration } from './integration-flags.ts';

export function addOne(clientId: string, flags: IntegrationFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const draft = accepted(await draftOf(flags, workplace));
    const { scope } = accepted(await registerIntegration(clientId, draft, workplace));
    print(`Registered ${clientId} with the scope ${scope.text}`);
  });
}

export function changeOne(clientId: string, flags: IntegrationFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const draft = accepted(await draftOf(flags, workplace));
    accepted(await changeIntegration(clientId, draft, workplace));
    print(`Changed ${clientId}`);
  });
}

export function importFile(file: string, { update = false }: { update?: boolean }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const text = readFileSync(file === '-' ? 0 : file, 'utf8');
    const imported = accepted(await importIntegrations({ text, update }, workplace));
    for (const { clientId, isNew } of imported) print(`${isNew ? 'Registered' : 'Changed'} ${clientId}`);
  });
}

export function printIntegrations({ json }: { json?: true }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const found = await listIntegrations(workplace);
    if (json) return printJson(found.map(shownIntegration));
    const lines = found.map(({ clientId, name, scope, enabled }) => [
      clientId,
      name,
      enabled ? 'yes' : 'no',
      scope.text,
    ]);
    printTable(['client id', 'name', 'enabled', 'scope'], lines);
  });
}

export function printIntegration(clientId: string, { json }: { json?: true }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const integration = accepted(await findIntegration(clientId, workplace));
    if (json) printJson(shownIntegration(integration));
    else printRecord(recordOf(integration));
  });
}

export function switchIntegration(clientId: string, enabled: boolean, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    accepted(await enableIntegration(clientId, enabled, workplace));
    print(`The integration ${clientId} is ${enabled ? 'enabled' : 'disabled'}`);
  });
}
