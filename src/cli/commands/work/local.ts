import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAct } from '../../../operations/admin/acts/run-act.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import type { Administration } from './steps.ts';

/** Nodes read what is registered again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

/** Acts beside the store. */
export function localAdministration(workplace: Workplace): Administration {
  const { store, by, random, config } = workplace;
  const everyNodeKnows = () => sleep(EVERYWHERE_MS);
  const readFile = (path: string) => readFileSync(path);
  const callerPorts = async () => (await import('./caller-ports.ts')).callerPortsOf(workplace);
  const ports = { store, by, random, issuer: config.publicUrl, everyNodeKnows, readFile, callerPorts };
  return { act: (name, given = {}) => runAct(name, given, ports) };
}
