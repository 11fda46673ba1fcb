import type { DeedOf } from '../../../../core/act.ts';
import { COMMAND_LINE, type Integration, keyMarks } from '../../../../core/integration.ts';
import { accept } from '../../../../core/outcome.ts';
import { endedBy } from '../../../../core/rules/endings.ts';
import { mayOwnerEnable } from '../../../../core/rules/operator.ts';
import { flawOf } from '../../../../schema.ts';
import { MOST_ROWS } from '../../../../store/store.ts';
import { endAll } from '../../../grant/end-all.ts';
import { type Acted, type AdminOutcome, type AdminPorts, decline } from '../../admin.ts';
import { draftedIntegration, objectionToIntegration, writtenIntegration } from '../../integration-draft.ts';
import { IntegrationObject, type WrittenIntegration } from '../../objects.ts';
import { changedBetween, ending, findThing, rewrite } from '../../perform.ts';
import { type ActPorts, answering } from '../act.ts';
import type { ThingWork } from '../things.ts';
import { claim, type ObjectKind } from './kind.ts';
import { applyPlan, planChanges } from './plan.ts';
import { type AnyKind, thingWork } from './thing.ts';

export const KIND: ObjectKind<'integration'> = {
  kind: 'integration',
  section: 'integrations',
  schema: IntegrationObject,
  keyOf: ({ clientId }) => clientId,
  written: writtenIntegration,
  complete: (id, { name = id }) => ({ name }),
  drafted: draftedIntegration,
  objection: objectionToIntegration,
  made: ({ scope }) => ({ did: 'registered', scope: scope.text }),
  changed: deedsBetween,
  // Without the integration of the command line, the next `apply` from elsewhere would have no way in.
  removal: ({ clientId }) => (clientId === COMMAND_LINE ? undefined : { did: 'removed' }),
  // Owners log in with the integration of the command line, so it admits them in the same commit.
  companion: { id: COMMAND_LINE, changedWith: admittingOwners },
  claims: ({ clientId }) => [
    claim('id', clientId, 'client-id-of-resource-server'),
    claim('caller', clientId, 'client-id-of-token-issuer'),
  ],
  withNames: (body, nameOf) =>
    body.access?.to === 'named'
      ? { ...body, access: { ...body.access, identities: body.access.identities.map(nameOf) } }
      : body,
};

function admittingOwners(others: readonly Partial<WrittenIntegration>[]) {
  const groups = others.flatMap(({ owners = [] }) => owners);
  if (groups.length === 0) return undefined;
  return (body: Partial<WrittenIntegration>) =>
    body.access?.to === 'named'
      ? { ...body, access: { ...body.access, groups: [...new Set([...body.access.groups, ...groups])] } }
      : body;
}

function deedsBetween(before: Integration, next: Integration): readonly DeedOf<'integration'>[] {
  const { changed } = changedBetween(shown(before), shown(next));
  const [known, now] = [keyMarks(before.keys), keyMarks(next.keys)];
  const ended = known.filter((mark) => !now.includes(mark));
  const key = now.filter((mark) => !known.includes(mark)).join(' ');
  const deeds: DeedOf<'integration'>[] = [];
  if (ended.length > 0) deeds.push({ did: 'key-removed', ended });
  if (key !== '') deeds.push({ did: 'key-added', key });
  if ('enabled' in changed) deeds.push({ did: next.enabled ? 'enabled' : 'disabled' });
  const isSaid = deeds.length > 0 && Object.keys(changed).every((name) => name === 'enabled');
  // For the revocation feed: the change may have taken access from holders of tokens.
  const access = 'access' in changed && ({ accessChanged: true } as const);
  return isSaid ? deeds : [...deeds, { did: 'changed', changed, ...access }];
}

function shown(integration: Integration): object {
  const { scope, keys: _, secrets: __, disabledByOwner: ___, ...rest } = integration;
  return { ...rest, scope: scope.text };
}

export const THINGS: ThingWork<WrittenIntegration> & AnyKind = {
  ...thingWork(KIND),
  remove: async (id, isConfirmed, ports) => {
    const ended = await removeIntegration(id, { isConfirmed, everyNodeKnows: ports.everyNodeKnows }, ports);
    return answering(ended, (endedGrants) => ({ id, endedGrants }));
  },
};

/** Every door refuses it within a second; its grants stay. Owners do not enable what an operator has disabled. */
export function enableIntegration(clientId: string, enabled: boolean, ports: AdminPorts): Acted<Integration> {
  return rewrite('integration', clientId, ports, (before, at) => {
    const { isOwner = false } = ports;
    if (isOwner && enabled && !mayOwnerEnable(before))
      return decline('permission-missing', 'of an operator, since an operator has disabled it');
    if (enabled) {
      const { disabledByOwner: _, ...row } = before;
      return accept({ next: { ...row, enabled }, deed: { did: 'enabled' } });
    }
    const { disabledByOwner: _, ...row } = endedBy('integration', before, { did: 'disabled' }, at);
    const byOwner = isOwner && mayOwnerEnable(before) && { disabledByOwner: true as const };
    return accept({ next: { ...row, ...byOwner }, deed: { did: 'disabled' } });
  });
}

/** Removes an integration for good: every door treats it as unknown, its codes and grants end, and its client id is free. Returns how many ended. */
export async function removeIntegration(
  clientId: string,
  { isConfirmed, everyNodeKnows }: { readonly isConfirmed: boolean } & Pick<ActPorts, 'everyNodeKnows'>,
  ports: AdminPorts,
): Acted<number> {
  const removed = await rewrite('integration', clientId, ports, (before, at) =>
    isConfirmed ? ending('integration', before, { did: 'removed' }, at) : decline('removal-unconfirmed', clientId),
  );
  if (!removed.ok) return removed;
  const end = async () => (await endAll({ clientId }, 'by-operator', ports)).grants;
  const ended = await end();
  await everyNodeKnows(); // until then a node may still issue a grant
  return accept(ended + (await end()));
}

/** What an import reads of each entry. Files of others may have more. */
const FIELDS = ['name', 'description', 'vendor', 'scope', 'accessTokenFormat'] as const;

/** All or none. `update`: change those that exist; otherwise they are refused. */
export async function importIntegrations(entries: readonly unknown[], update: boolean, ports: ActPorts) {
  const wanted = readImport(entries);
  if (!wanted.ok) return wanted;
  const ids = Object.keys(wanted.value);
  const done = await applyPlan(async () => {
    const loaded = await Promise.all(ids.map((id) => findThing('integration', id, ports)));
    const rows = loaded.flatMap((each) => (each.ok ? [each.value] : []));
    const [existing] = rows;
    const known = new Map<string, Integration>(rows.map((row) => [row.clientId, row]));
    const nobody = ids.find((id) => update && !known.has(id) && !Object.hasOwn(wanted.value[id] ?? {}, 'scope'));
    if (nobody !== undefined) return decline('integration-unknown', nobody);
    const plan = await planChanges(KIND, { wanted: wanted.value, known, isPartial: update }, ports);
    return plan.ok && existing && !update ? decline('integration-exists', existing.clientId) : plan;
  }, ports);
  if (!done.ok) return done;
  const isNew = (clientId: string) => done.value.some(({ id, does }) => id === clientId && does === 'create');
  return accept(ids.map((clientId) => ({ clientId, isNew: isNew(clientId) })));
}

/** By client id. One wrong entry refuses them all. */
function readImport(entries: readonly unknown[]): AdminOutcome<Readonly<Record<string, object>>> {
  if (entries.length >= MOST_ROWS) return decline('import-malformed', `it has ${MOST_ROWS} integrations, or more`);
  const wanted = new Map<string, object>();
  for (const [index, entry] of entries.entries()) {
    const which = `entry ${index + 1}`;
    const fields = (typeof entry === 'object' ? (entry ?? {}) : {}) as Readonly<Record<string, unknown>>;
    const { id } = fields;
    if (typeof id !== 'string') return decline('import-malformed', `${which} has no id`);
    if (wanted.has(id)) return decline('import-malformed', `${which} repeats the id ${id}`);
    const given = FIELDS.filter((field) => Object.hasOwn(fields, field));
    for (const field of given) {
      const what = `the ${field} of ${which}`;
      if (typeof fields[field] !== 'string') return decline('import-malformed', `${what} is not a text`);
      const flaw = flawOf(IntegrationObject.properties[field], fields[field], what);
      if (flaw !== undefined) return decline('import-malformed', flaw);
    }
    wanted.set(id, Object.fromEntries(given.map((field) => [field, fields[field]])));
  }
  return wanted.size > 0 ? accept(Object.fromEntries(wanted)) : decline('import-malformed', 'it holds no integration');
}
