import { decline } from '../operations/admin/admin.ts';
import { changeIntegration } from '../operations/admin/change-integration.ts';
import { readImport } from '../operations/admin/import-integrations.ts';
import { registerIntegration } from '../operations/admin/register-integration.ts';
import { integrations } from '../store/tables/registry.ts';
import { print } from './terminal/output.ts';
import { granted } from './terminal/wording.ts';
import type { Workplace } from './terminal/workplace.ts';

/** Everything is checked before anything is written, so that a wrong file changes nothing. */
export async function importFile(text: string, update: boolean, workplace: Workplace): Promise<void> {
  const drafts = granted(readImport(text));
  const known = new Set<string>();
  for (const { clientId } of drafts) {
    if ((await workplace.store.load(integrations, clientId)).found) known.add(clientId);
  }
  const [taken] = known;
  if (taken !== undefined && !update) granted(decline('integration-exists', taken));
  for (const { clientId, draft } of drafts) {
    const write = known.has(clientId) ? changeIntegration : registerIntegration;
    granted(await write(clientId, draft, workplace));
    print(`${known.has(clientId) ? 'Changed' : 'Registered'} ${clientId}`);
  }
}
