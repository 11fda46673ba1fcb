// Until what was registered applies.
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../src/compose/service.ts';

const running = new Set<Service>();

/** Returns what ends it. */
export function followed(service: Service): () => void {
  running.add(service);
  return () => void running.delete(service);
}

/** For every service of this process, or those of others if there is none. */
export async function registryFollows(): Promise<void> {
  await (running.size > 0 ? Promise.all([...running].map((service) => service.follow())) : second());
}

/** That long it takes at most [spec-gaps: Administration]. In short steps: each gives a service of this process a turn. */
export async function second(): Promise<void> {
  for (let step = 0; step < 20; step++) await pause(50);
}
