// Runs acts of the table beside the store, for commands and for the admin door.

import type { ActName, Answered, Given, Gives } from '../act-types.ts';
import type { AdminOutcome } from '../admin.ts';
import type { ActPorts, Run } from './act.ts';

const RUNS = {
  integration: async () => (await import('./integration.ts')).RUNS,
  'resource-server': async () => (await import('./resource-server.ts')).RUNS,
  issuer: async () => (await import('./issuer.ts')).RUNS,
  'token-issuer': async () => (await import('./token-issuer.ts')).RUNS,
  identity: async () => (await import('./identity.ts')).RUNS,
  grant: async () => (await import('./grant.ts')).RUNS,
  event: async () => (await import('./event.ts')).RUNS,
  object: async () => (await import('./object.ts')).RUNS,
  node: async () => (await import('./event.ts')).NODE_RUNS,
};
type AllRuns = { [A in ActName]: Run<A> };

/** Loads the acts of a kind when one of them is done. */
export async function runAct<A extends ActName>(
  name: A,
  given: Given,
  ports: ActPorts,
): Promise<AdminOutcome<Answered<Gives[A]>>> {
  const kind = /^(?:resource-server|token-issuer|[a-z]+)/.exec(name)?.[0] as keyof typeof RUNS;
  const runs: Partial<AllRuns> = await RUNS[kind]();
  const run = runs[name];
  if (!run) throw new Error(`there is no act ${name}`);
  const onlyIf = typeof given.onlyIf === 'number' ? given.onlyIf : undefined;
  return run(given, { ...ports, onlyIf });
}
