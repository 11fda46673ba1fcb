// What `tessera doctor` says about certificates and secrets that end soon.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { examineExpiry } from '../../src/cli/doctor/certificates.ts';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import { after, epochSeconds, seconds } from '../../src/core/time.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { systemClock } from '../../src/system.ts';
import { makeAuthority } from '../authority.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { anIntegration, CLIENT, hexOf, NOW } from '../samples.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const authority = makeAuthority();

test('doctor warns of a certificate in its last quarter, however short its life is', () => {
  const now = systemClock.now();
  const date = (offset: number) => new Date((now + offset) * 1000).toISOString();
  const says = (began: number, ends: number) => {
    const { pem } = authority.issue({ notBefore: date(began), notAfter: date(ends + 600) });
    const { verdict, says } = examineExpiry('it', new X509Certificate(pem), 'Renew it.');
    return [verdict, says];
  };
  assert.deepEqual(says(-16 * HOUR, 8 * HOUR), ['good', 'good for 8 hours']);
  assert.deepEqual(says(-20 * HOUR, 4 * HOUR), ['poor', 'expires in 4 hours']);
  assert.deepEqual(says(-60 * DAY, 30 * DAY), ['good', 'good for 30 days']);
  assert.deepEqual(says(-70 * DAY, 20 * DAY), ['poor', 'expires in 20 days']);
  assert.deepEqual(says(-90 * DAY, -3 * DAY), ['bad', 'expired 2 days ago']);
  assert.match(says(2 * DAY, 9 * DAY).join(' '), /^bad not valid before 20/);
});

test('doctor warns of the last secret of an integration in its last quarter, and when it has ended', async (t) => {
  const { node } = await onSqlite(t);
  const flows = { device: false, certificate: false, secret: true };
  const says = async (left: number) => {
    const secret = { hash: hexOf(32), createdAt: epochSeconds(NOW - DAY), endsAt: after(NOW, seconds(left)) };
    const next = anIntegration({ flows, secrets: [secret] });
    await node.store.change(integrations, next.clientId, () => ({ outcome: undefined, next }));
    const findings = await examineContents(node.store, await FollowedRegistry.load(node.store));
    return findings.find(({ about }) => about === `secret of ${CLIENT}`)?.says.slice(0, 9);
  };
  assert.deepEqual([await says(DAY), await says(HOUR), await says(-HOUR)], [undefined, 'ends at 2', 'has ended']);
});
