import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Given } from '../../../operations/admin/acts/act.ts';
import { runAct } from '../../../operations/admin/acts.ts';
import { findIdentityByDigits } from '../../../operations/admin/find-identity.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import { type Administration, administrationBy } from '../steps.ts';

/** Nodes read what is registered again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

/** Acts beside the store. */
export function localAdministration(workplace: Workplace): Administration {
  const everyNodeKnows = () => sleep(EVERYWHERE_MS);
  const readFile = (path: string) => readFileSync(path);
  return administrationBy(async (name, given = {}, dryRun = {}) => {
    const callerPorts = async () => (await import('./caller-ports.ts')).callerPortsOf(workplace, dryRun);
    const ports = { ...workplace, everyNodeKnows, readFile, callerPorts };
    return runAct(name, await withWholeId(name, given, workplace), ports);
  });
}

/** Commands beside the store may name an identity by the first digits of its id. */
async function withWholeId(name: string, given: Given, workplace: Workplace): Promise<Given> {
  const { id, onlyIf } = given;
  if (id === undefined || !name.startsWith('identity-') || onlyIf === 'absent') return given;
  const known = await findIdentityByDigits(id, workplace);
  return known.ok ? { ...given, id: known.value.id } : given;
}
