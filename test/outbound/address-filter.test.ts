import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isAddressRange, whyNotReachable } from '../../src/outbound/address-filter.ts';

suite('a non-public address', () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fc00::1', 'fdff::1'],
    'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
    reserved: ['0.0.0.0', '192.0.2.1', '198.18.0.1', '255.255.255.255', '::', '2002:7f00:1::', '2001:db8::1', '::7'],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    test(`is refused: ${kind}`, () => {
      for (const address of addresses)
        assert.match(whyNotReachable(address) ?? 'allowed', new RegExp(`is ${kind}`), address);
    });
  }

  test('is allowed if listed, alone or by its network', () => {
    assert.equal(whyNotReachable('10.1.2.3', ['10.1.2.3']), undefined);
    assert.equal(whyNotReachable('10.1.2.3', ['fd00::/8', '10.1.0.0/16']), undefined);
    assert.equal(whyNotReachable('fd00::5', ['fd00::/8']), undefined);
    assert.match(whyNotReachable('10.2.0.1', ['10.1.0.0/16']) ?? '', /private/);
  });

  test('is distinguished from public and malformed addresses', () => {
    for (const address of ['93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:2800:21f::1', '::ffff:8.8.8.8']) {
      assert.equal(whyNotReachable(address), undefined, address);
    }
    assert.match(whyNotReachable('example.com') ?? '', /not an IP address/);
  });
});

test('a range is an address or a network in CIDR notation', () => {
  for (const range of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) assert.ok(isAddressRange(range), range);
  for (const range of ['10.0.0.0/33', 'fd00::/129', 'a.example', '10.0.0.0/', '/8', '10.0.0.0/8/8', '']) {
    assert.ok(!isAddressRange(range), range);
  }
});
