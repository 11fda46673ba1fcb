// What owners of integrations may do: look at them and their grants, operate them, and change what does not widen them.
import type { ClientId } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { isWithinPowerOfOwner } from '../../../core/rules/operator.ts';
import { grants } from '../../../store/tables/grants.ts';
import { integrations } from '../../../store/tables/integrations.ts';
import type { ActName, Gives, Listed } from '../act-formats.ts';
import type { Answered, Given } from '../act-table.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { findGrantId } from '../find-grants.ts';
import { draftedIntegration } from '../integration-draft.ts';
import type { WrittenIntegration } from '../objects.ts';
import { type ActPorts, complete } from './act.ts';
import { KIND, withIds } from './integration.ts';
import { runAct } from './run-act.ts';

/** Does an act for somebody who may do it: anything, or as an owner of these integrations only. */
export async function runActAs<A extends ActName>(
  owned: readonly ClientId[] | undefined,
  name: A,
  given: Given,
  ports: ActPorts,
): Promise<AdminOutcome<Answered<Gives[A]>>> {
  const allowed = owned ? await asOwner(name, given, owned, ports) : accept(given);
  if (!allowed.ok) return allowed;
  const done = await runAct(name, allowed.value, ports);
  return done.ok && owned ? accept(shownToOwner(name, done.value, owned) as Answered<Gives[A]>) : done;
}

/** The request as an owner may make it, or why not. */
async function asOwner(
  name: ActName,
  given: Given,
  owned: readonly ClientId[],
  ports: ActPorts,
): Promise<AdminOutcome<Given>> {
  const isOwned = (clientId: unknown) => owned.some((each) => each === clientId);
  if (name === 'integration-list') return accept(given);
  if (name === 'integration-put' && isOwned(given.id)) return narrowing(given, ports);
  const concerned = await concernedBy(name, given, ports);
  return isOwned(concerned) ? accept(given) : notOwned();
}

const ON_INTEGRATIONS: readonly ActName[] = [
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
async function narrowing(given: Given, ports: ActPorts): Promise<AdminOutcome<Given>> {
  const id = given.id ?? '';
  const { found } = await ports.store.load(integrations, id);
  const named = await withIds(given.body as WrittenIntegration, ports);
  if (!named.ok) return named;
  if (!found || found.row.removed) return notOwned();
  const next = draftedIntegration(id, complete(KIND, id, named.value), found.row);
  if (!next.ok) return next;
  if (!isWithinPowerOfOwner(found.row, next.value))
    return decline('permission-missing', 'of an operator, since it widens the integration');
  return accept({ ...given, onlyIf: given.onlyIf ?? found.revision });
}

/** Lists show owners only what is theirs. */
function shownToOwner(name: ActName, answered: Answered<unknown>, owned: readonly ClientId[]): Answered<unknown> {
  if (name !== 'integration-list') return answered;
  const { items, ...page } = answered.value as Listed<WrittenIntegration>;
  return {
    ...answered,
    value: { ...page, items: items.filter(({ clientId }) => owned.some((each) => each === clientId)) },
  };
}
