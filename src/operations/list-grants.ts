import type { Grant } from '../core/grant.ts';
import type { IdentityId } from '../core/identity.ts';
import type { ClientId } from '../core/integration.ts';
import type { Outcome } from '../core/outcome.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { PageQuery } from '../store/store.ts';
import { grants } from '../store/tables/grants.ts';
import { identityKey } from '../store/tables/identities.ts';
import { listPage, type Page, type PageWish } from './list-page.ts';
import type { Ports } from './ports.ts';

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
): Promise<Outcome<Page<Grant>>> {
  const filter = { ...(of && { where: whereOf(of) }), ...(endingBefore !== undefined && { endingBefore }) };
  return listPage(grants, filter, page, ports);
}

function whereOf(of: NonNullable<GrantsWish['of']>): NonNullable<PageQuery['where']> {
  return 'identity' in of
    ? { column: 'holder', value: identityKey(of.identity) }
    : { column: 'client_id', value: of.integration };
}
