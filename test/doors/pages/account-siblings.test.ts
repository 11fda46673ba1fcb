import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presenter } from '../../../src/core/presenter.ts';
import { epochSeconds, after as later, seconds } from '../../../src/core/time.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { put } from '../../node.ts';
import { aGrant } from '../../samples.ts';
import { ADA, startService } from './running-service.ts';
import { signedIn } from './visitor.ts';

test('the account page names a second program with the same login, since when and from where', async (t) => {
  const service = await startService({ at: epochSeconds(1_800_000_000) });
  t.after(() => service.stop());
  const now = await service.store.now();
  const since = later(now, seconds(-2 * 86_400));
  const first = { since, presenter: presenter('192.0.2.7', 'curl/8') };
  const grant = aGrant({ identityId: ADA.id, createdAt: since, refreshUntil: later(now, seconds(86_400)) });
  const keep = (difference: object) => put(service.store, grants, { ...grant, ...difference });
  await keep({ siblings: { programs: [first, { since, presenter: presenter('203.0.113.9', 'other/2') }] } });
  const ada = await signedIn(service);
  const { text } = await ada.get('/account');
  assert.match(
    text,
    /Used by a second program, first 2 days ago, from 203\.0\.113\.9\. If it is not yours, revoke this grant\./,
  );
  assert.match(text, /Another program<\/dt>.*203\.0\.113\.9.*other\/2/);
  await keep({ siblings: { programs: undefined } });
  assert.doesNotMatch((await ada.get('/account')).text, /second program|Another program/);
});
