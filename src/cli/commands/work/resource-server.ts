import type { WrittenResourceServer } from '../../../operations/admin/objects.ts';
import type { ResourceServerDraft } from '../../../operations/admin/resource-server-draft.ts';
import { print, printJson, printOnly, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { type Administration, change, itemsOf } from './steps.ts';

export interface ResourceServerFlags extends Omit<ResourceServerDraft, 'resources'> {
  readonly resource?: readonly string[];
  readonly json?: true;
}

export interface SecretFlags {
  readonly dropOld?: boolean;
  readonly replace?: boolean;
}

export async function addOne(id: string, flags: ResourceServerFlags, { act }: Administration): Promise<void> {
  const body = { audience: '', resources: [], ...draftOf(flags) };
  const server = accepted(await act('resource-server-put', { id, body, onlyIf: 'absent' })).value;
  print(`Registered ${id} for ${server.audience}`);
  result(server);
  if (flags.identity === undefined) remark(`Make its secret with: tessera resource-server secret ${id}`);
}

export async function changeOne(id: string, flags: ResourceServerFlags, administration: Administration): Promise<void> {
  const draft = draftOf(flags);
  const merge = ({ identity, ...before }: WrittenResourceServer) => ({
    ...before,
    ...(identity !== undefined && flags.identity !== false && { identity }),
    ...draft,
  });
  const server = await change('resource-server', id, merge, administration);
  print(`Changed ${id}`);
  result(server);
}

export async function removeOne(
  id: string,
  { yes = false }: { yes?: boolean },
  { act }: Administration,
): Promise<void> {
  accepted(await act('resource-server-remove', { id, query: { confirmed: yes } }));
  print(`Removed ${id}`);
  result({ id });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
export async function makeSecret(
  id: string,
  { dropOld, replace = false }: SecretFlags,
  { act }: Administration,
): Promise<void> {
  if (dropOld) {
    accepted(await act('resource-server-secret-drop', { id }));
    print(`The old secret of ${id} is no longer valid`);
    return result({ id });
  }
  const { secret } = accepted(await act('resource-server-secret-make', { id, query: { replaces: replace } })).value;
  printOnly(secret, { id, secret });
  remark('This is shown once. It is valid within a second.');
}

export async function printAll({ json }: { json?: true }, administration: Administration): Promise<void> {
  const found = await itemsOf('resource-server-list', {}, administration);
  if (json) return printJson(found);
  const lines = found.map(({ id, audience, enabled = true, resources, secrets = [] }) => [
    id,
    audience,
    yesNo(enabled),
    resources.join(' '),
    secrets.length,
  ]);
  printTable(['id', 'audience', 'enabled', 'resources', 'secrets'], lines);
}

export async function printOne(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const server = accepted(await act('resource-server-show', { id })).value;
  if (json) printJson(server);
  else printRecord(recordOf(server));
}

function draftOf(flags: ResourceServerFlags) {
  const { resource, identity, json: _, ...rest } = flags;
  return { ...rest, ...(identity && { identity }), ...(resource && { resources: resource }) };
}

function recordOf({ id, audience, name, resources, enabled = true, identity, secrets = [] }: WrittenResourceServer) {
  return {
    id,
    audience,
    name,
    resources: resources.join(' '),
    enabled: yesNo(enabled),
    identity,
    'secrets made': secrets.map(({ createdAt }) => createdAt).join(', '),
  };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
