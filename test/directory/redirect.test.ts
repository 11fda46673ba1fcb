// The port fits a directory that sends the browser to another site: no password is typed here, and none is changed here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Directory, RedirectSignIn } from '../../src/directory/directory.ts';
import { personOf } from '../../src/operations/person/browser-session.ts';
import { changePassword, passwordRules } from '../../src/operations/person/change-password.ts';
import { beginUnlessReset, signIn } from '../../src/operations/person/sign-in.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, answer, CURL, type Node } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { anIdentity } from '../samples.ts';

const OTHER_SITE: RedirectSignIn = {
  by: 'redirect',
  name: 'Example login',
  begin: async (returnTo) => ({
    goTo: `https://login.example/authorize?redirect_uri=${encodeURIComponent(returnTo)}`,
    keep: new Secret('state-1'),
  }),
  complete: async (given, kept) =>
    given.get('state') === kept.reveal() ? { identity: anIdentity(), stillHolds: async () => true } : undefined,
};

function redirecting(node: Node): Node {
  const directory: Directory = {
    ...node.directory,
    signInMethods: [OTHER_SITE],
    passwordRules: () => undefined,
  };
  return { ...node, directory };
}

test('a person comes back from the other site and gets a session', async (t) => {
  const node = redirecting((await onSqlite(t)).node);
  const { goTo, keep } = await OTHER_SITE.begin('https://tessera.example/account/sign-in/return');
  assert.match(goTo, /^https:\/\/login\.example\//);
  const signedIn = await OTHER_SITE.complete(new Map([['state', 'state-1']]), keep);
  assert.ok(signedIn);
  const { cookie } = accepted(await beginUnlessReset(signedIn, node));
  assert.deepEqual((await personOf(cookie.reveal(), node))?.identity.id, anIdentity().id);
});

test('a directory without passwords refuses every password, and offers no change', async (t) => {
  const node = redirecting((await onSqlite(t)).node);
  const request = { userName: 'ada', password: new Secret('correct horse'), presenter: CURL };
  assert.equal(await answer(signIn(request, node)), 'sign-in-failed');
  const person = { identity: anIdentity(), session: 'x' };
  assert.equal(passwordRules(person, node), undefined);
  const change = { current: new Secret('correct horse'), next: new Secret('another long one'), presenter: CURL };
  assert.deepEqual(await changePassword(change, person, node), { ok: false, refusal: 'current-wrong' });
});

test('a session is ended again where the credential stopped being valid while it began', async (t) => {
  const node = redirecting((await onSqlite(t)).node);
  const withdrawn = { identity: anIdentity(), stillHolds: async () => false };
  assert.equal(await answer(beginUnlessReset(withdrawn, node)), 'sign-in-failed');
});
