// The kinds of registered things, by their sections in files. Each is loaded when it is needed.
import type { Acted, AdminPorts } from '../../admin.ts';
import type { Section } from '../../objects.ts';
import { performPlan } from '../../perform.ts';
import type { DraftPorts } from './kind.ts';
import type { AnyKind } from './thing.ts';

const KINDS: Readonly<Record<Section, () => Promise<{ readonly THINGS: AnyKind }>>> = {
  integrations: () => import('./integration.ts'),
  resourceServers: () => import('./resource-server.ts'),
  issuers: () => import('./issuer.ts'),
  tokenIssuers: () => import('./token-issuer.ts'),
  identities: () => import('./identity.ts'),
};

export async function kindOf(section: Section): Promise<AnyKind> {
  return (await KINDS[section]()).THINGS;
}

export function allKinds(): Promise<readonly AnyKind[]> {
  return Promise.all(Object.values(KINDS).map(async (load) => (await load()).THINGS));
}

/** Makes a thing; refused if it exists. */
export async function make(section: Section, id: string, body: object, ports: DraftPorts & AdminPorts): Acted<unknown> {
  const { planPut } = await kindOf(section);
  return performPlan(() => planPut({ id, body, onlyIf: 'absent' }, ports), ports);
}
