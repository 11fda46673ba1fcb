import type { GrantFilter } from '../../operations/admin/grant-filter.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { declares } from '../terminal/manual.ts';
import { counted, print, printJson, result } from '../terminal/output.ts';
import { administering } from './administration.ts';
import { printEventLines } from './event-lines.ts';
import type { Administration } from './steps.ts';
import { lists, shows } from './things.ts';

const FILTER = `
  --identity <identity>       of this identity, by user name or id
  --integration <client_id>   of this integration
  --guest <address>           of the client whose document has this address
  --certificate <digits>      by this certificate: its serial number, or the SHA-256 of its key
  --address <address>         whose newest token this address got
  --since <duration>          made at most this long ago
  --until <duration>          made at least this long ago
`;

const TEXT = `
grant                         list, show and end grants
  <grant>                     its id, or the first digits of it, at least four
grant list                    list live grants
${FILTER}
  --ending <duration>         that end within this time
  --all                       include ended grants
  --limit <count>             at most this many [= 1000]
  --json                      as JSON
  $ tessera grant list --ending 30d
  $ tessera grant list --identity ada --json
grant show <grant>            show one grant
  --json                      as JSON
  $ tessera grant show 0192f3…
grant timeline <grant>        show what happened to a grant, except for refreshes
  --json                      as JSON
  $ tessera grant timeline 0192f3…
grant revoke [grant]          end one grant, or all that the flags select, immediately and for good; says how many
      before it does
  [grant]                     its id, or the first digits of it, at least four
${FILTER}
  --yes                       confirm ending more than one grant
  $ tessera grant revoke 0192f3…
  $ tessera grant revoke --identity ada --yes
`;

export const commands = declares(TEXT, {
  'grant list': lists('grant', {
    columns: ['grant', 'state', 'client id', 'user name', 'identity', 'ends', 'scope'],
    row: ({ id, state, clientId, guest, userName, identityId, refreshUntil, scope }) => [
      id,
      state,
      guest ?? clientId,
      userName,
      identityId,
      refreshUntil,
      scope,
    ],
  }),
  'grant show': shows('grant', { record: (grant) => grant }),
  'grant timeline': administering(printTimeline),
  'grant revoke': administering(revokeGrants),
});

async function printTimeline(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = await act('grant-timeline', { id });
  if (json) printJson(items);
  else printEventLines(items);
}

type RevokeFlags = GrantFilter & { readonly yes?: true };

async function revokeGrants(id: string | undefined, flags: RevokeFlags, { act }: Administration): Promise<void> {
  const { yes = false, ...filter } = flags;
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (hasFilter === (id !== undefined)) {
    throw new CommandFailure('usage', 'name one grant, or flags that select some', 'See: tessera grant revoke --help');
  }
  if (id !== undefined) {
    const { id: grant } = await act('grant-revoke', { id });
    print(`Ended the grant ${grant}`);
    return result({ id: grant, endedGrants: 1 });
  }
  const ended = await act('grant-revoke-all', { body: { ...filter, confirmed: yes } });
  const { endedGrants = 0, endedCodes = 0 } = ended;
  print(`Ended ${counted(endedGrants, 'grant')}${endedCodes > 0 ? ` and ${counted(endedCodes, 'code')}` : ''}`);
  result({ endedGrants, endedCodes });
}
