import type { ResourceServer } from '../../../core/resource-server.ts';
import { isoTime } from '../../../core/time.ts';
import { changeResourceServer, removeResourceServer } from '../../../operations/admin/change-resource-server.ts';
import { findResourceServer, listResourceServers } from '../../../operations/admin/find-resource-server.ts';
import { registerResourceServer } from '../../../operations/admin/register-resource-server.ts';
import type { ResourceServerDraft } from '../../../operations/admin/resource-server-draft.ts';
import { dropOldSecret, makeResourceServerSecret } from '../../../operations/admin/resource-server-secret.ts';
import { print, printJson, printOnly, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export interface ResourceServerFlags extends Omit<ResourceServerDraft, 'resources'> {
  readonly resource?: readonly string[];
}

export interface SecretFlags {
  readonly dropOld?: boolean;
  readonly replace?: boolean;
}

export async function addOne(id: string, flags: ResourceServerFlags, workplace: Workplace): Promise<void> {
  const server = accepted(await registerResourceServer(id, draftOf(flags), portsOf(workplace)));
  print(`Registered ${id} for ${server.audience}`);
  result(shown(server));
  if (flags.identity === undefined) remark(`Make its secret with: tessera resource-server secret ${id}`);
}

export async function changeOne(id: string, flags: ResourceServerFlags, workplace: Workplace): Promise<void> {
  const server = accepted(await changeResourceServer(id, draftOf(flags), portsOf(workplace)));
  print(`Changed ${id}`);
  result(shown(server));
}

export async function removeOne(id: string, { yes = false }: { yes?: boolean }, workplace: Workplace): Promise<void> {
  accepted(await removeResourceServer(id, { isConfirmed: yes }, workplace));
  print(`Removed ${id}`);
  result({ id });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
export async function makeSecret(
  id: string,
  { dropOld, replace = false }: SecretFlags,
  workplace: Workplace,
): Promise<void> {
  if (dropOld) {
    accepted(await dropOldSecret(id, workplace));
    print(`The old secret of ${id} is no longer valid`);
    return result({ id });
  }
  const secret = accepted(await makeResourceServerSecret(id, { replaces: replace }, workplace));
  printOnly(secret.reveal(), { id, secret: secret.reveal() });
  remark('This is shown once. It is valid within a second.');
}

export async function printAll({ json }: { json?: true }, workplace: Workplace): Promise<void> {
  const found = await listResourceServers(workplace);
  if (json) return printJson(found.map(shown));
  const lines = found.map(({ id, audience, enabled, resources, secrets }) => [
    id,
    audience,
    yesNo(enabled),
    resources.join(' '),
    secrets.length,
  ]);
  printTable(['id', 'audience', 'enabled', 'resources', 'secrets'], lines);
}

export async function printOne(id: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const server = accepted(await findResourceServer(id, workplace));
  if (json) printJson(shown(server));
  else printRecord(recordOf(server));
}

function draftOf({ resource, ...rest }: ResourceServerFlags): ResourceServerDraft {
  return resource ? { ...rest, resources: resource } : rest;
}

function portsOf(workplace: Workplace) {
  return { ...workplace, issuer: workplace.config.publicUrl };
}

/** Not even hashes of secrets are shown. */
function shown({ secrets, ...server }: ResourceServer): object {
  return { ...server, secrets: secrets.map(({ createdAt }) => ({ createdAt: isoTime(createdAt) })) };
}

function recordOf({ id, audience, name, resources, enabled, identity, secrets }: ResourceServer) {
  return {
    id,
    audience,
    name,
    resources: resources.join(' '),
    enabled: yesNo(enabled),
    identity,
    'secrets made': secrets.map(({ createdAt }) => isoTime(createdAt)).join(', '),
  };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
