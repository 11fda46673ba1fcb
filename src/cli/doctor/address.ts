import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopback } from '../../config/rules.ts';
import type { Config } from '../../config/schema.ts';
import { type Finding, good, poor } from './finding.ts';

const PATIENCE_MS = 2000;

/** Checks that the name in publicUrl resolves, and that something listens on its port. */
export async function examineAddress(config: Config): Promise<Finding[]> {
  return [await examineName(config), ...examinePort(config)];
}

async function examineName({ publicUrl }: Config): Promise<Finding> {
  const { hostname } = new URL(publicUrl);
  if (isLoopback(hostname)) return good('publicUrl', `${publicUrl}, for this machine only`);
  const found = await Promise.race([
    lookup(hostname).catch(() => undefined),
    sleep(PATIENCE_MS, undefined, { ref: false }),
  ]);
  if (found) return good('publicUrl', `${publicUrl} leads to ${found.address}`);
  return poor('publicUrl', `the name ${hostname} is not known here`, 'Check publicUrl, or add the name to the DNS.');
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** Behind a proxy the ports differ on purpose. */
function examinePort({ publicUrl, listeners, proxies }: Config): Finding[] {
  if (proxies.addresses.length > 0) return [];
  const { port, protocol } = new URL(publicUrl);
  const wanted = Number(port) || USUAL_PORTS[protocol];
  const served = listeners.filter(({ doors }) => doors === undefined || doors.some((door) => door !== 'ops'));
  if (served.some((listener) => listener.port === wanted || listener.port === 0)) return [];
  const ports = served.map((listener) => listener.port).join(', ');
  const todo = 'Add the port to publicUrl, change the port of a listener, or forward the one to the other.';
  return [poor('publicUrl', `leads to port ${wanted}, and the service listens on ${ports}`, todo)];
}
