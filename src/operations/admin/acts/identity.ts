import { IDENTITY_ID } from '../../../core/identity.ts';
import { boolean, named, object, optional, string } from '../../../schema.ts';
import { Secret } from '../../../tokens/secret.ts';
import type { AdminOutcome } from '../admin.ts';
import { CLOSED, form } from '../members.ts';
import { IdentityObject, PasswordText } from '../objects.ts';
import { USER_NAME } from '../text-forms.ts';
import { type ActPorts, act, answering, listOf } from './act.ts';
import { actsOnThings } from './things.ts';

const work = () => import('../identities.ts');
const shown = async () => (await import('./work/identity.ts')).THINGS;

const things = actsOnThings(
  {
    kind: 'identity',
    page: 'identities',
    title: 'Identity',
    schema: IdentityObject,
    id: form(`${USER_NAME.source}|${IDENTITY_ID.source}`, 'user-name-malformed'),
  },
  shown,
);

const Password = object({ password: PasswordText }, { ...CLOSED, title: 'Password' });
const times = { createdAt: string(), usedAt: optional(string()) };
const Passkey = named('Passkey', { id: string(), name: string(), ...times });
const Invitation = named('PasskeyInvitation', { invitation: string(), endsAt: string() });
const PASSKEYS = object({
  passkey: optional(string({ description: 'The name or the id of one.' })),
  all: optional(boolean({ description: 'Remove every passkey.' })),
});

export const IDENTITY_ACTS = {
  'identity-list': things.list('read', 'List identities'),
  'identity-show': things.show('read', 'Show an identity'),
  'identity-put': things.put('manage', 'Make or replace an identity'),
  'identity-password': act('manage', 'POST', '/identities/{id}/password', {
    command: 'identity set-password',
    page: 'identities',
    summary: 'Set the password of a local identity',
    body: Password,
    answers: IdentityObject,
    run: async ({ id, body: { password } }, ports) =>
      changed(id, await (await work()).setPassword(id, new Secret(password), ports), ports),
  }),
  'identity-passkey-list': act('read', 'GET', '/identities/{id}/passkeys', {
    command: 'identity passkey list',
    page: 'identities',
    summary: 'List its passkeys',
    answers: listOf(Passkey, 'PasskeyList'),
    run: async ({ id }, ports) => answering(await (await work()).listPasskeys(id, ports), (items) => ({ items })),
  }),
  'identity-passkey-invite': act('manage', 'POST', '/identities/{id}/passkeys', {
    command: 'identity passkey invite',
    page: 'identities',
    summary: 'Invite to add a passkey, by a code that is shown once',
    answers: Invitation,
    run: async ({ id }, ports) => answering(await (await work()).inviteToPasskey(id, ports), (made) => made),
  }),
  'identity-passkey-remove': act('operate', 'DELETE', '/identities/{id}/passkeys', {
    command: 'identity passkey remove',
    page: 'identities',
    summary: 'Remove passkeys, and end browser sessions',
    query: PASSKEYS,
    answers: listOf(Passkey, 'RemovedPasskeys'),
    run: async ({ id, query }, ports) =>
      answering(await (await work()).removePasskey(id, query, ports), (items) => ({ items })),
  }),
  'identity-enable': act('operate', 'POST', '/identities/{id}/enable', {
    command: 'identity enable',
    page: 'identities',
    summary: 'Enable an identity',
    answers: IdentityObject,
    run: async ({ id }, ports) => changed(id, await (await work()).enableIdentity(id, true, ports), ports),
  }),
  'identity-disable': act('operate', 'POST', '/identities/{id}/disable', {
    command: 'identity disable',
    page: 'identities',
    summary: 'Disable an identity',
    answers: IdentityObject,
    run: async ({ id }, ports) => changed(id, await (await work()).enableIdentity(id, false, ports), ports),
  }),
  'identity-remove': things.remove('manage', 'Remove an identity'),
};

/** The answer to a change is the identity. */
async function changed(id: string, done: AdminOutcome<unknown>, ports: ActPorts) {
  return done.ok ? (await shown()).show(id, ports) : done;
}
