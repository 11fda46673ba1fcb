import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Act } from '../../src/core/act.ts';
import { isBeforeChange, lastChangeBehind } from '../../src/core/rules/repair.ts';
import { epochSeconds } from '../../src/core/time.ts';

const [NOW, DAY] = [1_800_000_000, 86_400];

function refused(reason: string, ago = 60) {
  const at = epochSeconds(NOW - ago);
  return { reason, clientId: 'orders-sync', identityId: 'nina', last: at };
}

function change(detail: object, ago: number) {
  return { at: epochSeconds(NOW - ago), detail: detail as Act };
}

function changed(id: string, name: string, ago: number) {
  return change({ kind: 'integration', id, did: 'changed', changed: { [name]: { before: 'a', after: 'b' } } }, ago);
}

test('behind a refusal is the newest change of the setting that it depends on, not of another one or another thing', () => {
  const wanted = changed('orders-sync', 'scope', 300);
  const others = [changed('orders-sync', 'vendor', 10), changed('other', 'scope', 20)];
  const made = change({ kind: 'integration', id: 'orders-sync', did: 'registered', scope: 'a:b' }, 900);
  assert.equal(lastChangeBehind(refused('scope-exceeds-integration'), [...others, wanted, made]), wanted);
  assert.equal(lastChangeBehind(refused('scope-exceeds-integration'), [...others, made]), made);
  assert.equal(lastChangeBehind(refused('identity-disabled'), [...others, wanted, made]), undefined);
  const disabled = (id: string, ago: number) => change({ kind: 'identity', id, did: 'disabled' }, ago);
  const [other, nina] = [disabled('orders-sync', 5), disabled('nina', 50)];
  assert.equal(lastChangeBehind(refused('identity-disabled'), [other, nina]), nina);
  assert.equal(lastChangeBehind(refused('grant-revoked'), [wanted]), undefined);
});

test('an issuer is behind a refusal only if it signed the certificate, however long ago it was withdrawn', () => {
  const withdrawn = (id: string, ago: number) => change({ kind: 'issuer', id, did: 'withdrawn' }, ago);
  const [other, corp] = [withdrawn('partners', 60), withdrawn('corp', 3 * DAY)];
  const refusal = refused('certificate-issuer-not-approved');
  assert.equal(lastChangeBehind({ ...refusal, claimed: { label: 'corp' } }, [other, corp]), corp);
  assert.equal(lastChangeBehind({ ...refusal, claimed: {} }, [other, corp]), undefined);
  assert.equal(lastChangeBehind(refusal, [other, corp]), undefined);
});

test('a refusal of the same second is not older than the change, unless that enabled the thing: nodes learn of it within a second', () => {
  const [disabled, enabled] = ['disabled', 'enabled'].map((did) => change({ kind: 'identity', id: 'nina', did }, 60));
  assert.equal(isBeforeChange(refused('identity-disabled', 60), disabled), false);
  assert.equal(isBeforeChange(refused('identity-disabled', 61), disabled), true);
  assert.equal(isBeforeChange(refused('identity-disabled', 61), undefined), false);
  assert.equal(isBeforeChange(refused('identity-disabled', 59), enabled), true);
  assert.equal(isBeforeChange(refused('identity-disabled', 58), enabled), false);
});

test('an integration that was registered in the same second does not repair its scope', () => {
  const made = change({ kind: 'integration', id: 'orders-sync', did: 'registered', scope: 'a:b' }, 60);
  assert.equal(isBeforeChange(refused('scope-exceeds-integration', 60), made), false);
});
