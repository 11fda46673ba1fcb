import type { GrantFilter } from '../../operations/admin/grant-filter.ts';
import { group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { AS_JSON, argument, count, duration, flag, optionalArgument, text, usually } from '../terminal/options.ts';
import { counted, print, printJson, printRecord, result } from '../terminal/output.ts';
import { administers } from './administration.ts';
import { printEventLines } from './event-lines.ts';
import type { Administration } from './steps.ts';
import { type Look, printList } from './things.ts';

const ID = 'its id, or the first digits of it, at least four';
const GRANT = { grant: argument(ID) };

const FILTER = {
  identity: text('<identity>', 'of this identity, by user name or id'),
  integration: text('<client_id>', 'of this integration'),
  guest: text('<address>', 'of the client whose document has this address'),
  certificate: text('<digits>', 'by this certificate: its serial number, or the SHA-256 of its key'),
  address: text('<address>', 'whose newest token this address got'),
  since: duration('made at most this long ago'),
  until: duration('made at least this long ago'),
  unused: flag('never refreshed, with an expired access token: perhaps nobody got the answer'),
};

const LOOK: Look<'grant'> = {
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
};

export const commands = {
  grant: group('list, show and end grants', {
    list: administers({
      about: 'list live grants',
      options: {
        ...FILTER,
        ending: duration('that end within this time'),
        all: flag('include ended grants'),
        limit: usually('1000', count('at most this many')),
        ...AS_JSON,
      },
      examples: ['tessera grant list --ending 30d', 'tessera grant list --identity ada --json'],
      run: (given, place) => printList('grant', given, place, LOOK),
    }),
    show: administers({
      about: 'show one grant',
      arguments: GRANT,
      options: AS_JSON,
      examples: ['tessera grant show 0192f3…'],
      run: async ({ grant: id, json }, { act }) => {
        const grant = await act('grant-show', { id });
        if (json) printJson(grant);
        else printRecord(grant);
      },
    }),
    timeline: administers({
      about: 'show what happened to a grant, except for refreshes',
      arguments: GRANT,
      options: AS_JSON,
      examples: ['tessera grant timeline 0192f3…'],
      run: async ({ grant: id, json }, { act }) => {
        const { items } = await act('grant-timeline', { id });
        if (json) printJson(items);
        else printEventLines(items);
      },
    }),
    revoke: administers({
      about: 'end one grant, or all that the flags select, immediately and for good; says how many before it does',
      arguments: { grant: optionalArgument(ID) },
      options: { ...FILTER, yes: flag('confirm ending more than one grant') },
      examples: [
        'tessera grant revoke 0192f3…',
        'tessera grant revoke --identity ada --yes',
        'tessera grant revoke --unused --until 30d --yes',
      ],
      run: revokeGrants,
    }),
  }),
};

type RevokeFlags = GrantFilter & { readonly grant?: string; readonly yes?: boolean };

async function revokeGrants({ grant: id, yes = false, ...filter }: RevokeFlags, { act }: Administration) {
  if (Object.keys(filter).length > 0 === (id !== undefined)) {
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
