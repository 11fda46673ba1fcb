import { endGrant, endGrants } from '../../../operations/admin/end-grants.ts';
import { findGrants, type GrantFilter } from '../../../operations/admin/find-grants.ts';
import { type ShownGrant, showGrant, shownGrants } from '../../../operations/admin/show-grant.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted, print, printJson, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export interface ListFlags extends GrantFilter {
  readonly limit: number;
  readonly json?: true;
}

export async function listGrants(flags: ListFlags, workplace: Workplace): Promise<void> {
  const { limit, json } = flags;
  const { grants, now } = accepted(await findGrants(flags, limit + 1, workplace));
  const shown = await shownGrants({ grants: grants.slice(0, limit), now }, workplace);
  if (json) printJson(shown);
  else printTable(['grant', 'state', 'client id', 'user name', 'identity', 'ends', 'scope'], shown.map(rowOf));
  if (grants.length > limit) remark(`There are more than ${limit}; see --limit.`);
}

function rowOf({ id, state, clientId, guest, userName, identityId, refreshUntil, scope }: ShownGrant) {
  return [id, state, guest ?? clientId, userName, identityId, refreshUntil, scope];
}

export async function printGrant(id: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const shown = accepted(await showGrant(id, workplace));
  if (json) printJson(shown);
  else printRecord(shown);
}

export interface RevokeFlags extends Pick<GrantFilter, 'identity' | 'integration' | 'guest'> {
  readonly yes?: true;
}

export async function revokeGrants(id: string | undefined, flags: RevokeFlags, workplace: Workplace): Promise<void> {
  const { yes = false, ...filter } = flags;
  const hasFilter = [flags.identity, flags.integration, flags.guest].some((each) => each !== undefined);
  if (hasFilter === (id !== undefined)) {
    throw new CommandFailure(
      'usage',
      'name one grant, or --identity, --integration or --guest',
      'See: tessera grant revoke --help',
    );
  }
  if (id !== undefined) {
    const grant = accepted(await endGrant(id, workplace));
    print(`Ended the grant ${grant}`);
    return result({ id: grant, endedGrants: 1 });
  }
  const { grants, codes } = accepted(await endGrants({ filter, isConfirmed: yes }, workplace));
  print(`Ended ${counted(grants, 'grant')}${codes > 0 ? ` and ${counted(codes, 'confirmed code')}` : ''}`);
  result({ endedGrants: grants, endedCodes: codes });
}
