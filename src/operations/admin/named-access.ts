import type { Access } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import type { AdminOutcome, AdminPorts } from './admin.ts';
import { findIdentity } from './find-identity.ts';

export interface NamedAccessDraft {
  /** User names or ids. */
  readonly identities: readonly string[];
  readonly groups: readonly string[];
}

/** Access for named identities and groups. Operators may give user names; the integration stores ids. */
export async function namedAccess(
  { identities, groups }: NamedAccessDraft,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Access>> {
  const ids = [];
  for (const name of identities) {
    const found = await findIdentity(name, ports);
    if (!found.ok) return found;
    ids.push(found.value.id);
  }
  return accept({ to: 'named', identities: ids, groups });
}
