import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAct } from '../../../operations/admin/acts/run-act.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import type { Administration } from './steps.ts';

/** Nodes read what is registered again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

/** Acts beside the store. */
export function localAdministration({ store, by, random, config }: Workplace): Administration {
  const everyNodeKnows = () => sleep(EVERYWHERE_MS);
  const readFile = (path: string) => readFileSync(path);
  const ports = { store, by, random, issuer: config.publicUrl, everyNodeKnows, readFile };
  return { act: (name, given = {}) => runAct(name, given, ports) };
}
