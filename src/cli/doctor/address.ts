import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopback } from '../../config/rules.ts';
import type { Config } from '../../config/schema.ts';
import { type Finding, good, poor } from './finding.ts';

const PATIENCE_MS = 2000;

/** Checks that the name in publicUrl resolves. */
export async function examineAddress({ publicUrl }: Config): Promise<Finding[]> {
  const { hostname } = new URL(publicUrl);
  if (isLoopback(hostname)) return [good('publicUrl', `${publicUrl}, for this machine only`)];
  const found = await Promise.race([
    lookup(hostname).catch(() => undefined),
    sleep(PATIENCE_MS, undefined, { ref: false }),
  ]);
  if (found) return [good('publicUrl', `${publicUrl} leads to ${found.address}`)];
  return [poor('publicUrl', `the name ${hostname} is not known here`, 'Check publicUrl, or add the name to the DNS.')];
}
