import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from '../../../src/directory/oidc/oidc-directory.ts';

const SETTINGS = {
  label: 'corp',
  issuer: 'https://login.example.com',
  idClaims: ['sub'],
  claims: { groups: 'groups' },
};

async function groupsOf(groups: readonly string[], powers: object): Promise<readonly string[]> {
  const answer = { claims: { sub: 'grace', email: 'grace@example.com', groups }, userInfo: async () => ({}) };
  const identity = await identityOf(answer as never, { ...SETTINGS, ...powers });
  return identity.ok ? identity.value.groups : [];
}

test('only the settings make members of a provider’s group operators or viewers', async () => {
  assert.deepEqual(await groupsOf(['operators', 'viewers'], {}), ['corp/operators', 'corp/viewers']);
  const powers = { operators: ['tessera-admins'], viewers: ['tessera-readers', 'all'] };
  assert.deepEqual(await groupsOf(['tessera-admins'], powers), ['corp/tessera-admins', 'operators']);
  assert.deepEqual(await groupsOf(['all', 'tessera-readers'], powers), ['corp/all', 'corp/tessera-readers', 'viewers']);
  assert.deepEqual(await groupsOf(['operators', 'Tessera-Admins'], powers), ['corp/Tessera-Admins', 'corp/operators']);
});
