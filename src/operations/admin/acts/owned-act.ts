// What owners of integrations may do: look at them and their grants, operate them, and change what does not widen them.
import type { ClientId } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { isWithinPowerOfOwner } from '../../../core/rules/operator.ts';
import { grants } from '../../../store/tables/grants.ts';
import { integrations } from '../../../store/tables/integrations.ts';
import { type ActName, type Gives, runAct } from '../acts.ts';
import { type Acted, decline } from '../admin.ts';
import { findGrantId } from '../find-grants.ts';
import type { WrittenIntegration } from '../objects.ts';
import { type ActPorts, type Answered, answer, type Given, type Listed } from './act.ts';
import { KIND } from './work/integration.ts';
import { complete } from './work/kind.ts';

/** Does an act for somebody who may do it: anything, or as an owner of these integrations only. */
export async function runActAs<A extends ActName>(
  owned: readonly ClientId[] | undefined,
  name: A,
  given: Given,
  ports: ActPorts,
): Acted<Answered<Gives[A]>> {
  const allowed = owned ? await asOwner(name, given, owned, ports) : accept(given);
  if (!allowed.ok) return allowed;
  if (!owned) return runAct(name, allowed.value, ports);
  if (name === 'integration-list') return (await listOwned(owned, given, ports)) as never;
  const done = await runAct(name, allowed.value, { ...ports, isOwner: true });
  const isUnknown = !done.ok && /-(?:unknown|ambiguous)$/.test(done.refusal.reason);
  return isUnknown && OF_NOBODY[name] ? accept({ value: OF_NOBODY[name] as Gives[A] }) : done;
}

/** Owners do not learn which people, certificates and clients there are: one without grants here, and one that does not exist, have the same answer. */
const OF_NOBODY: { readonly [A in ActName]?: Gives[A] } = {
  'grant-list': { items: [] },
  'grant-revoke-all': { endedGrants: 0, endedCodes: 0 },
};

/** One page of what is theirs: not even cursors name anything else. */
async function listOwned(owned: readonly ClientId[], { query = {} }: Given, { store }: ActPorts) {
  const { limit = 100, cursor = '' }: { readonly limit?: number; readonly cursor?: string } = query;
  const ids = owned.filter((id) => id > cursor).sort();
  const page = ids.slice(0, limit);
  const found = await Promise.all(page.map((id) => store.load(integrations, id)));
  const items = found.flatMap((each) => (each.found && !each.found.row.removed ? [KIND.written(each.found.row)] : []));
  return answer<Listed<WrittenIntegration>>({ items, ...(ids.length > limit && { next: page.at(-1) ?? '' }) });
}

/** The request as an owner may make it, or why not. */
export async function asOwner(name: ActName, given: Given, owned: readonly ClientId[], ports: ActPorts): Acted<Given> {
  const isOwned = (clientId: unknown) => owned.some((each) => each === clientId);
  if (name === 'integration-list') return accept(given);
  if (name === 'integration-put' && isOwned(given.id)) return narrowing(given, ports);
  const concerned = await concernedBy(name, given, ports);
  return isOwned(concerned) ? accept(given) : notOwned();
}

/** What owners may do to their integrations, besides narrowing them. */
export const ON_INTEGRATIONS: readonly ActName[] = [
  'integration-show',
  'integration-enable',
  'integration-disable',
  'integration-key-list',
  'integration-key-remove',
  'integration-secret-drop',
];
const ON_GRANTS: readonly ActName[] = ['grant-show', 'grant-timeline', 'grant-revoke'];

/** The integration that an act of owners concerns. */
async function concernedBy(name: ActName, given: Given, ports: ActPorts): Promise<string | undefined> {
  if (ON_INTEGRATIONS.includes(name)) return given.id;
  if (name === 'grant-list') return (given.query as { integration?: string }).integration;
  if (name === 'grant-revoke-all') return (given.body as { integration?: string }).integration;
  if (!ON_GRANTS.includes(name)) return undefined;
  const id = await findGrantId(given.id ?? '', ports);
  return id.ok ? (await ports.store.load(grants, id.value)).found?.row.clientId : undefined;
}

/** Owners learn nothing about what is not theirs, not even whether it exists. */
function notOwned() {
  return decline('permission-missing', 'of an owner of this integration');
}

/** The revision makes sure that what was compared is what is replaced. */
async function narrowing(given: Given, ports: ActPorts): Acted<Given> {
  const id = given.id ?? '';
  const widens = () => decline('permission-missing', 'of an operator, since it widens the integration');
  const { found } = await ports.store.load(integrations, id);
  if (!found || found.row.removed) return notOwned();
  const body = complete(KIND, id, given.body as object, found.row) as Required<WrittenIntegration>;
  const next = await KIND.drafted(id, body, found.row, ports);
  // Whether somebody of a name exists is not for owners to learn.
  if (!next.ok) return next.refusal.reason.startsWith('identity-') ? widens() : next;
  if (!isWithinPowerOfOwner(found.row, next.value)) return widens();
  const { onlyIf = found.revision } = given;
  return accept({ ...given, onlyIf: onlyIf === 'present' ? found.revision : onlyIf });
}
