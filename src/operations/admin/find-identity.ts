import { type Identity, parseIdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { byUserName, identities } from '../../store/tables/identities.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** Finds by id, or by user name if only one identity has it. */
export async function findIdentity(
  name: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Identity>> {
  if (parseIdentityId(name)) {
    const { found } = await store.load(identities, name);
    return found ? accept(found.row) : decline('identity-unknown', name);
  }
  const [identity, ...others] = await store.find(identities, byUserName(name));
  if (!identity) return decline('identity-unknown', name);
  return others.length > 0 ? decline('identity-ambiguous', name) : accept(identity);
}
