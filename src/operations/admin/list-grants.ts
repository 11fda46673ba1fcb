import type { Grant } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { ClientId } from '../../core/integration.ts';
import type { PersonOutcome } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Where } from '../../store/table.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { listPage, type Page, type PageWish } from '../list-page.ts';
import type { Ports } from '../ports.ts';

export interface GrantsWish extends PageWish {
  /** Whose grants; everyone's where absent. */
  readonly of?: { readonly identity: IdentityId } | { readonly integration: ClientId } | undefined;
  /** Only those that end before this moment. */
  readonly endingBefore?: EpochSeconds | undefined;
}

/** Grants as they stand in the store, ended ones included until they are swept. */
export function listGrants(
  { of, endingBefore, ...page }: GrantsWish,
  ports: Pick<Ports, 'store' | 'keyring'>,
): Promise<PersonOutcome<Page<Grant>>> {
  const filter = { ...(of && { where: whereOf(of) }), ...(endingBefore !== undefined && { endingBefore }) };
  return listPage(grants, filter, page, ports);
}

function whereOf(of: NonNullable<GrantsWish['of']>): Where {
  return 'identity' in of ? grantsOf.holder(of.identity) : grantsOf.integration(of.integration);
}
