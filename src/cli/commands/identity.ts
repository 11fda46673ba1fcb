import { isoTime } from '../../core/time.ts';
import { IdentityObject, type WrittenIdentity } from '../../operations/admin/objects.ts';
import { group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { obtainPassword, type PasswordFlags } from '../terminal/input.ts';
import { AS_JSON, argument, count, flag, optionalArgument, unless, usually } from '../terminal/options.ts';
import { counted, print, printJson, printOnly, printSecret, printTable, remark, result } from '../terminal/output.ts';
import { administers } from './administration.ts';
import { byHand, fieldsOf } from './fields.ts';
import type { Administration } from './steps.ts';
import { registered, switches } from './things.ts';

const PASSWORD = {
  passwordStdin: flag('read the password from standard input'),
  generate: flag('make a password and print it, once'),
};

const FIELDS = fieldsOf(
  IdentityObject,
  {
    id: { label: 'identity' },
    userName: { value: '<name>', on: 'change' },
    email: { value: '<address>', label: 'e-mail' },
    upn: { value: '<name>', label: 'principal name' },
    groups: { option: 'group', none: 'it belongs to no group' },
    mayUseApi: { option: 'api', label: 'may use the API' },
    mayShare: {
      ...byHand(
        { shared: flag('allow an e-mail or principal name that another identity has') },
        ({ shared }) => shared,
      ),
      shown: () => undefined,
    },
    password: { not: '`add` and `set-password` ask for it' },
    seenAt: { shown: (moment) => moment && isoTime(moment) },
    endedAt: { shown: (moment) => moment && isoTime(moment) },
  },
  ['userName', 'id', 'enabled', 'email', 'upn', 'groups'],
);

const ID = argument('user name or id', '<identity>');
const IDENTITY = { identity: argument('user name or id') };

const identity = registered('identity', {
  id: ID,
  fields: FIELDS,
  order: byName,
  removed: (id, endedGrants) => [`Removed ${id} and ended ${counted(endedGrants, 'grant')}`, { id, endedGrants }],
});

export const commands = {
  identity: group('identities of the local directory', {
    add: administers({
      about: 'add an identity; asks for its password',
      arguments: { userName: argument('the name to sign in with; also matched with a common name') },
      options: {
        ...PASSWORD,
        ...FIELDS.optionsOf('add'),
        password: unless('for an identity that authorizes by certificate alone'),
      },
      examples: [
        'tessera identity add ada --email ada@example.com --group staff',
        'tessera identity add ada --generate',
        'tessera identity add build-7 --no-password',
      ],
      run: addPerson,
    }),
    change: identity.change({
      about: 'change names, groups or permission; its grants and its password stay',
      examples: [
        'tessera identity change ada --email ada@example.org',
        'tessera identity change ada --group staff --group ops',
      ],
    }),
    remove: identity.remove({
      about: 'remove an identity for good: its grants end, its names are free again',
      options: { yes: flag('confirm it') },
      examples: ['tessera identity remove ada --yes'],
    }),
    'set-password': administers({
      about: 'set a new password, and end the browser sessions of the old one',
      arguments: IDENTITY,
      options: { ...PASSWORD, removePasskeys: flag('remove its passkeys too') },
      examples: ['tessera identity set-password ada', 'tessera identity set-password ada --generate --remove-passkeys'],
      run: changePassword,
    }),
    list: identity.list({
      about: 'list identities, including those derived from certificates',
      options: { limit: usually('1000', count('at most this many')) },
      examples: ['tessera identity list', 'tessera identity list --json'],
    }),
    show: identity.show({ about: 'show one identity', examples: ['tessera identity show ada'] }),
    disable: switches('identity', 'disable', ID, {
      about: 'refuse the identity everywhere, within a second; its grants stay',
      examples: ['tessera identity disable ada'],
    }),
    enable: switches('identity', 'enable', ID, {
      about: 'accept a disabled identity again',
      examples: ['tessera identity enable ada'],
    }),
    passkey: group('passkeys that people sign in with', {
      list: administers({
        about: 'list the passkeys of an identity',
        arguments: IDENTITY,
        options: AS_JSON,
        examples: ['tessera identity passkey list ada'],
        run: async ({ identity, json }, { act }) => {
          const { items } = await act('identity-passkey-list', { id: identity });
          if (json) return printJson(items);
          const lines = items.map(({ id, name: called, createdAt, usedAt }) => [called, id, createdAt, usedAt]);
          printTable(['name', 'id', 'added', 'last used'], lines);
        },
      }),
      invite: administers({
        about: 'print a code, once, to add a passkey that is enough for administration; good for a day',
        arguments: IDENTITY,
        examples: ['tessera identity passkey invite ada'],
        run: async ({ identity }, { act }) => {
          const made = await act('identity-passkey-invite', { id: identity });
          printOnly(made.invitation, made);
          remark(`Good once, until ${made.endsAt}, on /account/passkeys, for whoever signs in as ${identity}.`);
        },
      }),
      remove: administers({
        about: 'accept a passkey no longer, and end the browser sessions of the identity',
        arguments: { ...IDENTITY, passkey: optionalArgument('its name or id') },
        options: { all: flag('all its passkeys') },
        examples: ['tessera identity passkey remove ada phone', 'tessera identity passkey remove ada --all'],
        run: dropPasskeys,
      }),
    }),
  }),
};

type AddFlags = PasswordFlags & { readonly userName: string; readonly password: boolean };

async function addPerson(flags: AddFlags, { act }: Administration): Promise<void> {
  const { userName } = flags;
  const obtained = flags.password ? await obtainPassword(flags) : undefined;
  const password = obtained && { password: obtained.password.reveal() };
  const body = { userName, ...FIELDS.body(flags), ...password };
  const { id } = await act('identity-put', { id: userName, body, onlyIf: 'absent' });
  print(`Added ${userName} as ${id}`);
  if (obtained?.isNew) printSecret(`Password, shown this once: ${obtained.password.reveal()}`);
  result({ id, userName, ...(obtained?.isNew && password) });
}

type SetPasswordFlags = PasswordFlags & { readonly identity: string; readonly removePasskeys?: true };

async function changePassword(flags: SetPasswordFlags, { act }: Administration): Promise<void> {
  const { identity: name } = flags;
  await act('identity-show', { id: name }); // before the person types a password
  const { password, isNew } = await obtainPassword(flags);
  const body = { password: password.reveal() };
  const { id } = await act('identity-password', { id: name, body });
  print(`Set the password of ${id}`);
  if (isNew) printSecret(`Password, shown this once: ${password.reveal()}`);
  const passkeys = (await act('identity-passkey-list', { id })).items.length;
  const removed = passkeys > 0 && flags.removePasskeys ? passkeys : 0;
  if (removed > 0) {
    await act('identity-passkey-remove', { id, query: { all: true } });
    print(`Removed ${counted(removed, 'passkey')}`);
  } else if (passkeys > 0) {
    remark(
      `${counted(passkeys, 'passkey')} still good to sign in. To remove: tessera identity passkey remove ${name} --all`,
    );
  }
  result({ id, passkeys: passkeys - removed, ...(isNew && { password: password.reveal() }) });
}

function byName(a: WrittenIdentity, b: WrittenIdentity): number {
  return (a.userName ?? a.id ?? '') < (b.userName ?? b.id ?? '') ? -1 : 1;
}

type DropFlags = { readonly identity: string; readonly passkey?: string; readonly all?: true };

async function dropPasskeys({ identity: name, passkey, all }: DropFlags, { act }: Administration): Promise<void> {
  if ((passkey === undefined) === (all === undefined))
    throw new CommandFailure('usage', 'give either a passkey or --all', 'See: tessera identity passkey list IDENTITY');
  const query = all ? { all } : { passkey };
  const { items } = await act('identity-passkey-remove', { id: name, query });
  print(`Removed ${counted(items.length, 'passkey')} of ${name}, and ended its browser sessions`);
  result({ removed: items.map(({ id }) => id) });
}
