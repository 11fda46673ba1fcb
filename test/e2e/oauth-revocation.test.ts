// Revocation at the oauth door (RFC 7009).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { OauthScene, REVOKE } from './oauth-scene.ts';
import { assertRefused } from './oauth-steps.ts';
import { CLIENT, forged, verify } from './steps.ts';

const door = given(() => OauthScene.open());

suite('RFC 7009', () => {
  async function isDead(access_token: string | undefined): Promise<boolean> {
    return (await verify(door.stranger, access_token ?? '')).status === 401;
  }

  test('[RFC 7009 2.1] a refresh or access token of any generation ends the whole grant', async () => {
    for (const which of ['refresh_token', 'access_token']) {
      const first = await door.pairByDevice();
      const second = (await door.refreshBy(first['refresh_token'])).json as Record<string, string>;
      const answer = await door.post(REVOKE, { client_id: CLIENT, token: first[which] ?? '', token_type_hint: 'pink' });
      assert.deepEqual([answer.status, answer.text], [200, '{}']);
      assert.ok((await isDead(first['access_token'])) && (await isDead(second['access_token'])));
      assertRefused(await door.refreshBy(second['refresh_token']), 400, 'invalid_grant');
    }
  });

  test('[RFC 7009 2.1] the token of another client is refused and stays alive', async () => {
    const { access_token = '', refresh_token = '' } = await door.pairByDevice();
    for (const token of [access_token, refresh_token]) {
      assertRefused(await door.post(REVOKE, { client_id: 'other-sync', token }), 400, 'invalid_grant');
    }
    assert.equal(await isDead(access_token), false);
  });

  test('[RFC 7009 2.2] a token that is dead, forged or unknown is a success', async () => {
    const { access_token = '', refresh_token = '' } = await door.pairByDevice();
    for (const token of [forged(refresh_token), forged(access_token), 'eyJhbGciOiJub25lIn0.e30.', 'x']) {
      assert.equal((await door.post(REVOKE, { client_id: CLIENT, token })).status, 200);
    }
    assert.equal(await isDead(access_token), false, 'a forged token ends nothing');
    for (const token of [refresh_token, refresh_token, access_token]) {
      assert.equal((await door.post(REVOKE, { client_id: CLIENT, token })).status, 200);
    }
  });

  test('[RFC 7009 2.1] token is required', async () => {
    assertRefused(await door.post(REVOKE, { client_id: CLIENT }), 400, 'invalid_request');
  });
});
