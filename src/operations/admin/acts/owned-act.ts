// What owners of integrations may do: look at them and their grants, operate them, and change what does not widen them.
import type { ClientId } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { isWithinPowerOfOwner } from '../../../core/rules/operator.ts';
import { grants } from '../../../store/tables/grants.ts';
import { integrations } from '../../../store/tables/integrations.ts';
import type { ActName, Answered, Given, Listed } from '../act-types.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { findGrantId } from '../find-grants.ts';
import { draftedIntegration } from '../integration-draft.ts';
import { completeIntegration, type WrittenIntegration } from '../objects.ts';
import type { ActPorts } from './act.ts';
import { withIds } from './integration.ts';

/** The request as an owner may make it, or why not. */
export async function asOwner(
  name: ActName,
  given: Given,
  owned: readonly ClientId[],
  ports: ActPorts,
): Promise<AdminOutcome<Given>> {
  const isOwned = (clientId: unknown) => owned.some((each) => each === clientId);
  switch (name) {
    case 'integration-list':
      return accept(given);
    case 'integration-show':
    case 'integration-enable':
    case 'integration-disable':
      return isOwned(given.id) ? accept(given) : notOwned();
    case 'integration-put':
      return isOwned(given.id) ? narrowing(given, ports) : notOwned();
    case 'grant-list':
      return isOwned((given.query as { integration?: string }).integration) ? accept(given) : notOwned();
    case 'grant-revoke-all':
      return isOwned((given.body as { integration?: string }).integration) ? accept(given) : notOwned();
    case 'grant-show':
    case 'grant-timeline':
    case 'grant-revoke': {
      const id = await findGrantId(given.id ?? '', ports);
      const found = id.ok ? (await ports.store.load(grants, id.value)).found : undefined;
      return isOwned(found?.row.clientId) ? accept(given) : notOwned();
    }
    default:
      return decline('permission-missing', 'of an operator');
  }
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
  const next = draftedIntegration(id, completeIntegration(id, named.value), found.row);
  if (!next.ok) return next;
  if (!isWithinPowerOfOwner(found.row, next.value))
    return decline('permission-missing', 'of an operator, since it widens the integration');
  return accept({ ...given, onlyIf: given.onlyIf ?? found.revision });
}

/** Lists show owners only what is theirs. */
export function shownToOwner(
  name: ActName,
  answered: Answered<unknown>,
  owned: readonly ClientId[],
): Answered<unknown> {
  if (name !== 'integration-list') return answered;
  const { items, ...page } = answered.value as Listed<WrittenIntegration>;
  return {
    ...answered,
    value: { ...page, items: items.filter(({ clientId }) => owned.some((each) => each === clientId)) },
  };
}
