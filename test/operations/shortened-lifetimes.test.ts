// What a start says where access tokens of /oauth2 lived longer before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { redeemCode } from '../../src/operations/device/redeem-device.ts';
import { shortenedLifetimes } from '../../src/operations/upkeep/shortened-lifetimes.ts';
import { accepted, changeIntegration, confirmedCode, issue, WITH_CODE } from '../node.ts';
import { onSqlite } from './on-sqlite.ts';

test('grants by code that an older release made are warned of; those of the contract, and new ones, are not', async (t) => {
  const { node } = await onSqlite(t);
  await changeIntegration(node, { flows: WITH_CODE });
  await issue(node);
  const redeem = async (days: number) => {
    const settings = { ...node.settings, oauthTokenLifetime: seconds(days * 86_400) };
    accepted(await redeemCode(await confirmedCode(node), { ...node, settings }));
  };
  await redeem(1 / 24);
  assert.deepEqual(await shortenedLifetimes(node), []);
  await redeem(90);
  assert.deepEqual(await shortenedLifetimes(node), ['orders-sync']);
  await changeIntegration(node, { flows: WITH_CODE, overrides: { accessTokenLifetime: seconds(90 * 86_400) } });
  assert.deepEqual(await shortenedLifetimes(node), [], 'the next ones live as long');
});
