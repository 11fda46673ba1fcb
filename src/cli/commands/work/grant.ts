import type { GrantFilter } from '../../../operations/admin/find-grants.ts';
import type { ShownGrant } from '../../../operations/admin/show-grant.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted, print, printJson, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { printEventLines } from './event-lines.ts';
import { type Administration, itemsOf } from './steps.ts';

export interface ListFlags extends GrantFilter {
  readonly limit: number;
  readonly json?: true;
}

export async function listGrants({ limit, json, ...filter }: ListFlags, administration: Administration): Promise<void> {
  const found = await itemsOf('grant-list', filter, administration, limit + 1);
  const shown = found.slice(0, limit);
  if (json) printJson(shown);
  else printTable(['grant', 'state', 'client id', 'user name', 'identity', 'ends', 'scope'], shown.map(rowOf));
  if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
}

function rowOf({ id, state, clientId, guest, userName, identityId, refreshUntil, scope }: ShownGrant) {
  return [id, state, guest ?? clientId, userName, identityId, refreshUntil, scope];
}

export async function printGrant(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const shown = accepted(await act('grant-show', { id })).value;
  if (json) printJson(shown);
  else printRecord(shown);
}

export async function printTimeline(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('grant-timeline', { id })).value;
  if (json) printJson(items);
  else printEventLines(items);
}

export interface RevokeFlags extends Omit<GrantFilter, 'ending' | 'all'> {
  readonly yes?: true;
}

export async function revokeGrants(id: string | undefined, flags: RevokeFlags, { act }: Administration): Promise<void> {
  const { yes = false, ...filter } = flags;
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (hasFilter === (id !== undefined)) {
    throw new CommandFailure('usage', 'name one grant, or flags that select some', 'See: tessera grant revoke --help');
  }
  if (id !== undefined) {
    const { id: grant } = accepted(await act('grant-revoke', { id })).value;
    print(`Ended the grant ${grant}`);
    return result({ id: grant, endedGrants: 1 });
  }
  const ended = accepted(await act('grant-revoke-all', { body: { ...filter, confirmed: yes } })).value;
  const { endedGrants = 0, endedCodes = 0 } = ended;
  print(
    `Ended ${counted(endedGrants, 'grant')}${endedCodes > 0 ? ` and ${counted(endedCodes, 'confirmed code')}` : ''}`,
  );
  result({ endedGrants, endedCodes });
}
