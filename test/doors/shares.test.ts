import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { neighbourhoodOf } from '../../src/core/presenter.ts';
import { isOverShare, Shares, shareLimit } from '../../src/doors/server/shares.ts';

suite('shares', () => {
  test('an IPv6 /64 is one address, a /48 and an IPv4 /24 are one network', () => {
    const shares = new Shares();
    assert.equal(shares.enter('2001:db8:1:2::1'), shares.enter('2001:db8:1:2:ffff::9'));
    const [one, other] = [shares.enter('2001:db8:1:2::1'), shares.enter('2001:db8:1:3::1')];
    assert.notEqual(one, other);
    assert.equal(one.network, other.network);
    assert.deepEqual(['192.0.2.7', '2001:db8:1:2::1', '::1'].map(neighbourhoodOf), [
      '192.0.2.0/24',
      '2001:db8:1::/48',
      '0:0:0::/48',
    ]);
  });

  test('an address that holds nothing is forgotten', () => {
    const shares = new Shares();
    const party = shares.enter('192.0.2.7');
    assert.equal(shares.enter('192.0.2.7'), party);
    shares.leave(party);
    assert.equal(shares.enter('192.0.2.7'), party);
    shares.leave(party);
    shares.leave(party);
    assert.notEqual(shares.enter('192.0.2.7'), party);
  });

  test('a share is a percentage but at least one, and a network’s share is no smaller than an address’s', () => {
    assert.deepEqual(shareLimit(2000, 10, 25), { perAddress: 200, perNetwork: 500 });
    assert.deepEqual(shareLimit(5, 10, 25), { perAddress: 1, perNetwork: 1 });
    assert.deepEqual(shareLimit(100, 50, 25), { perAddress: 50, perNetwork: 50 });
  });

  test('an address is over its share if it or its network holds too much', () => {
    const shares = new Shares();
    const limit = { perAddress: 2, perNetwork: 3 };
    const [one, other] = [shares.enter('192.0.2.7'), shares.enter('192.0.2.8')];
    one.places = 2;
    one.network.places = 2;
    assert.deepEqual([isOverShare(one, 'places', limit), isOverShare(other, 'places', limit)], [true, false]);
    one.network.places = 3;
    assert.equal(isOverShare(other, 'places', limit), true);
    assert.equal(isOverShare(other, 'connections', limit), false);
  });
});
